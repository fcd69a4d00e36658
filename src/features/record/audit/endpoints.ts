// `/audit-events`: admins and auditors of a tenant read the audit trail, in pages or as a file.

import type { AuditEvent, AuditQuery } from "../../../domain/audit.ts";
import type { SignedIn } from "../../../domain/session.ts";
import { endpoint, page, streamedFile } from "../../../http/endpoint.ts";
import { oneOf, searchText, timeText } from "../../../http/query-parameters.ts";
import { anyObject, object, plain, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { EXPORT_FORMATS, exportEvents } from "./export-events.ts";

const fields = {
	id: plain({ format: "uuid" }),
	at: time(),
	actor: plain({
		description: "`user:<id>`, `api_client:<id>`, `cli:<operating-system user>`, `anonymous` or `system`.",
	}),
	action: plain({ description: "`noun.verb`, e.g. `access_request.approved`." }),
	target: plain({ description: 'The object of the action as `noun:<id>`, or `""`.' }),
	ip: plain(),
	request_id: plain(),
	details: anyObject({ description: "Never a secret, a token or a password." }),
	hash: plain({ description: "SHA-256, hex, over the previous event and this one." }),
};
const auditEventSchema = object(fields, { title: "AuditEvent" });

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

const toWireForm = toWire(auditEventSchema);
/** Of an export, in the order of the fields of a line. */
const COLUMNS = ["sequence", ...Object.keys(fields)];

export function auditEndpoints(platform: Platform) {
	return {
		list: endpoint<SignedIn>()({
			name: "listAuditEvents",
			summary: "List audit events",
			description: `Newest first. ${FILTER_RULES}`,
			query: filters,
			answer: page(auditEventSchema, "Events of the tenant."),
			handle: async ({ caller: { tenantId }, query, page }) =>
				mapPage(await platform.db.stores.audit.list({ tenantId, ...toFilter(query) }, page), toWireEvent),
		}),

		export: endpoint<SignedIn>()({
			name: "exportAuditEvents",
			summary: "Export audit events as a file",
			description: `\`format\` is \`jsonl\` (one event a line, the default) or \`csv\`, where fields that a spreadsheet would read as a formula begin with \`'\`. Oldest first, with \`sequence\`, the place in the chain. ${FILTER_RULES} The export is audited before its first byte. A connection that ends early leaves an incomplete file.`,
			query: { ...filters, format: oneOf(EXPORT_FORMATS) },
			answer: streamedFile(Object.values(MEDIA_TYPES), "Events of the tenant."),
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
	return toWireForm({ ...event, details: JSON.parse(event.details) as Record<string, unknown> });
}

function toFields(event: AuditEvent) {
	return { sequence: event.sequence, ...toWireEvent(event) };
}

type Filters = Pick<AuditQuery, "actor" | "action" | "target"> & {
	readonly from?: number;
	readonly to?: number;
};

function toFilter({ from, to, ...exact }: Filters) {
	return { ...exact, ...(from !== undefined && { fromMs: from }), ...(to !== undefined && { toMs: to }) };
}
