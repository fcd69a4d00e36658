// `/audit-events`: admins and auditors of a tenant read the audit trail, in pages or as a file.

import type { AuditEvent, AuditQuery } from "../../../domain/audit.ts";
import type { AuditChanges } from "../../../domain/audit-changes.ts";
import { summaryOf } from "../../../domain/audit-summary.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { data, endpoint, page, streamedFile } from "../../../http/endpoint.ts";
import { exactIp, type InferQuery, oneOf, searchText, timeText } from "../../../http/query-parameters.ts";
import { anyObject, integer, nullable, object, plain, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import { isMembers, parseJson } from "../../../kernel/shape.ts";
import type { Platform } from "../../platform.ts";
import { EXPORT_FORMATS, exportEvents } from "./export-events.ts";
import { RECENT_EVENTS, readRecentChain } from "./recent-chain.ts";

const fields = {
	id: plain({ format: "uuid" }),
	at: time(),
	actor: plain({
		description:
			"`user:<id>`, `api_client:<id>`, `key:<id>`, `cli:<operating-system user>`, `anonymous` or `system`.",
	}),
	action: plain({ description: "`noun.verb`, e.g. `access_request.approved`." }),
	target: plain({ description: 'The object of the action as `noun:<id>`, or `""`.' }),
	ip: plain(),
	request_id: plain(),
	details: anyObject({ description: "Never a secret, a token or a password." }),
	hash: plain({ description: "SHA-256, hex, over the previous event and this one." }),
	actor_name: plain({
		description:
			'Name of the actor at that time: a username or a name of a client; `""` where `actor` says it all.',
	}),
	target_name: plain({ description: 'Name of the target at that time, or `""`.' }),
	changes: anyObject({
		description:
			"Old and new values of changed fields, as `{ field: { from, to } }`; long texts and lists are cut. `details.fields` also names the fields whose values are not recorded.",
	}),
	summary: plain({ description: 'The event in words, in English; `""` for an action of another version.' }),
};
const auditEventSchema = object(fields, { title: "AuditEvent" });

const chainSchema = object(
	{
		last_sequence: integer({ description: "The number of the newest event, from 1; 0 before the first." }),
		last_hash: plain({
			description: 'Its hash, `""` before the first. Kept elsewhere, it proves the trail up to it.',
		}),
		last_at: nullable(time()),
		checked: integer({
			description: `How many of the newest events were checked, at most ${RECENT_EVENTS}.`,
		}),
		broken_at: nullable(
			integer({ description: "The first of them that is missing or was changed; null when all hold." }),
		),
		pruned_up_to: integer({
			description:
				"The last event that `latchkey audit prune` removed under a signed checkpoint; 0 for none.",
		}),
		pruned_at: nullable(time({ description: "When that was." })),
	},
	{ title: "AuditChain" },
);
const toWireChain = toWire(chainSchema);

const filters = {
	actor: searchText(),
	actor_name: searchText(),
	action: searchText(),
	target: searchText(),
	target_name: searchText(),
	request_id: searchText(),
	ip: exactIp(),
	from: timeText(),
	to: timeText(),
};
const FILTER_RULES =
	"`from` is inclusive, `to` exclusive, both ISO 8601 with a zone; all others match exactly. `actor_name` and `target_name` are the names at the time of the event: events of versions before 0.2 have none.";
const MEDIA_TYPES = { jsonl: "application/jsonl", csv: "text/csv" } as const;

const toWireForm = toWire(auditEventSchema);
/** The columns of an export, in the order of the fields of a line. */
const COLUMNS = ["sequence", ...Object.keys(fields)];

export function auditEndpoints(platform: Platform) {
	return {
		list: endpoint<Administrator>()({
			name: "listAuditEvents",
			summary: "List audit events",
			description: `Newest first. ${FILTER_RULES}`,
			query: filters,
			response: page(auditEventSchema, "Events of the tenant."),
			handle: async ({ caller: { tenantId }, query, page }) =>
				mapPage(await platform.db.stores.audit.list({ tenantId, ...toFilter(query) }, page), toWireEvent),
		}),

		chain: endpoint<Administrator>()({
			name: "getAuditChain",
			summary: "See the state of the audit chain",
			description: `Checks the ${RECENT_EVENTS} newest events of the tenant; \`latchkey audit verify\` on the server checks all of them, and the signatures of checkpoints.`,
			response: data(200, chainSchema, "The end of the chain."),
			async handle({ caller: { tenantId } }) {
				const { audit, checkpoints } = platform.db.stores;
				const { findHead, listChain } = audit;
				const { findNewest } = checkpoints;
				return toWireChain(await readRecentChain({ findHead, listChain, findNewest }, tenantId));
			},
		}),

		export: endpoint<Administrator>()({
			name: "exportAuditEvents",
			summary: "Export audit events as a file",
			description: `\`format\` is \`jsonl\` (one event a line, the default) or \`csv\`, where fields that a spreadsheet would read as a formula begin with \`'\`. Oldest first, with \`sequence\`, the place in the chain. ${FILTER_RULES} The export is audited before its first byte. A connection that ends early leaves an incomplete file.`,
			query: { ...filters, format: oneOf(EXPORT_FORMATS) },
			response: streamedFile(Object.values(MEDIA_TYPES), "Events of the tenant."),
			secret: true,
			async handle({ caller, query: { format = "jsonl", ...filters } }) {
				const eventExport = { filter: toFilter(filters), format, columns: COLUMNS, toFields };
				const parts = await exportEvents(platform, eventExport, caller);
				return { name: `audit-events.${format}`, mediaType: MEDIA_TYPES[format], parts };
			},
		}),
	};
}

function toWireEvent(event: AuditEvent) {
	const details = parseJson(isMembers, event.details);
	const changes = JSON.parse(event.changes) as AuditChanges;
	return toWireForm({ ...event, details, changes, summary: summaryOf({ ...event, details, changes }) });
}

function toFields(event: AuditEvent) {
	return { sequence: event.sequence, ...toWireEvent(event) };
}

function toFilter(query: InferQuery<typeof filters>): Omit<AuditQuery, "tenantId"> {
	const {
		from: fromMs,
		to: toMs,
		actor_name: actorName,
		target_name: targetName,
		request_id: requestId,
	} = query;
	const { actor, action, target, ip } = query;
	return { actor, actorName, action, target, targetName, requestId, ip, fromMs, toMs };
}
