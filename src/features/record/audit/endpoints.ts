// `/audit-events`: admins and auditors of a tenant read the audit trail, in pages or as a file.

import type { AuditEvent, AuditQuery } from "../../../domain/audit.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { endpoint, page, streamedFile } from "../../../http/endpoint.ts";
import { oneOf, searchText, timeText } from "../../../http/query-parameters.ts";
import { anyObject, object, plain, time } from "../../../http/schema.ts";
import { isoTime } from "../../../kernel/clock.ts";
import type { Platform } from "../../platform.ts";
import { EXPORT_FORMATS, exportEvents } from "./export-events.ts";

const auditEventSchema = object(
	{
		id: plain({ format: "uuid" }),
		at: time(),
		actor: plain({ description: "`user:<id>`, `api_client:<id>`, `anonymous` or `system`." }),
		action: plain({ description: "`noun.verb`, e.g. `access_request.approved`." }),
		target: plain({ description: 'The object of the action as `noun:<id>`, or `""`.' }),
		ip: plain(),
		request_id: plain(),
		details: anyObject({ description: "Never a secret, a token or a password." }),
		hash: plain({ description: "SHA-256, hex, over the previous event and this one." }),
	},
	{ title: "AuditEvent" },
);

const filters = {
	actor: searchText(),
	action: searchText(),
	target: searchText(),
	from: timeText(),
	to: timeText(),
};
const FILTER_RULES =
	"`actor`, `action` and `target` match exactly; `from` is inclusive, `to` exclusive, both ISO 8601 with a zone.";
const MEDIA_TYPES = { jsonl: "application/jsonl", csv: "text/csv" } as const;

interface Filters {
	readonly actor?: string;
	readonly action?: string;
	readonly target?: string;
	readonly from?: number;
	readonly to?: number;
}

export function auditEndpoints(platform: Platform) {
	return {
		list: endpoint<SignedIn>()({
			name: "listAuditEvents",
			summary: "List audit events",
			description: `Newest first. ${FILTER_RULES}`,
			query: filters,
			answer: page(auditEventSchema, "Events of the tenant."),
			async handle({ caller, query, page: pageQuery }) {
				const events = await platform.db.stores.audit.list(toQuery(caller.tenantId, query), pageQuery);
				return { items: events.items.map(toWireEvent), total: events.total };
			},
		}),

		export: endpoint<SignedIn>()({
			name: "exportAuditEvents",
			summary: "Export audit events as a file",
			description: `\`format\` is \`jsonl\` (one event a line, the default) or \`csv\`, where fields that a spreadsheet would read as a formula begin with \`'\`. Oldest first, with \`sequence\`, the place in the chain. ${FILTER_RULES} The export is audited before its first byte. A connection that ends early leaves an incomplete file.`,
			query: { ...filters, format: oneOf(EXPORT_FORMATS) },
			answer: streamedFile(Object.values(MEDIA_TYPES), "Events of the tenant."),
			secret: true,
			async handle({ caller, query: { format = "jsonl", ...filters } }) {
				const { from, to, ...same } = filters;
				const times = {
					...(from === undefined ? {} : { from: isoTime(from) }),
					...(to === undefined ? {} : { to: isoTime(to) }),
				};
				const eventExport = {
					query: toQuery(caller.tenantId, filters),
					format,
					filters: { ...same, ...times },
					toFields: toExportedEvent,
				};
				const parts = await exportEvents(platform, eventExport, caller);
				return { name: `audit-events.${format}`, mediaType: MEDIA_TYPES[format], parts };
			},
		}),
	};
}

function toQuery(tenantId: string, { from, to, ...same }: Filters): AuditQuery {
	return {
		tenantId,
		...same,
		...(from === undefined ? {} : { fromMs: from }),
		...(to === undefined ? {} : { toMs: to }),
	};
}

function toExportedEvent(event: AuditEvent) {
	return { sequence: event.sequence, ...toWireEvent(event) };
}

function toWireEvent(event: AuditEvent) {
	return {
		id: event.id,
		at: isoTime(event.atMs),
		actor: event.actor,
		action: event.action,
		target: event.target,
		ip: event.ip,
		request_id: event.requestId,
		details: JSON.parse(event.details) as Record<string, unknown>,
		hash: event.hash,
	};
}
