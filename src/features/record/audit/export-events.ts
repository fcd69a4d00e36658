// Exports the audit trail as JSON Lines or CSV, in the order of the chain, streamed page by page.

import type { AuditEvent, AuditQuery, AuditTrail } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import type { Needs } from "../../platform.ts";
import { csvLine } from "./csv.ts";

export const EXPORT_FORMATS = ["jsonl", "csv"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Fields = Readonly<Record<string, unknown>>;

export interface EventExport {
	readonly query: AuditQuery;
	readonly format: ExportFormat;
	/** The filters of the request, for the audit event. */
	readonly filters: Readonly<Record<string, string>>;
	/** The fields of a line, in the order of the columns. */
	readonly toFields: (event: AuditEvent) => Fields;
}

const PAGE = 1_000;

/**
 * Audits the export before its first byte, and returns its parts: all matching events up to then, including the event
 * about the export itself.
 */
export async function exportEvents(
	{ db }: Needs<"audit">,
	{ query, format, filters, toFields }: EventExport,
	caller: Caller,
): Promise<AsyncIterable<string>> {
	const end = await db.transaction(async ({ audit }) => {
		await audit.append(caller, "audit.exported", "", { format, ...filters });
		return audit.findHead(caller.tenantId);
	});
	return parts(db.stores.audit, query, end?.sequence ?? 0, format, toFields);
}

async function* parts(
	trail: AuditTrail,
	query: AuditQuery,
	lastSequence: number,
	format: ExportFormat,
	toFields: EventExport["toFields"],
): AsyncGenerator<string> {
	let after = 0;
	let isFirst = true;
	for (;;) {
		const events = await trail.listMatching(query, { after, upTo: lastSequence }, PAGE);
		const rows = events.map(toFields);
		if (format === "jsonl") yield rows.map((fields) => `${JSON.stringify(fields)}\n`).join("");
		else yield (isFirst ? csvLine(Object.keys(toFields(NO_EVENT))) : "") + rows.map(toCsv).join("");
		isFirst = false;
		const last = events.at(-1);
		if (last === undefined || events.length < PAGE) return;
		after = last.sequence;
	}
}

/** For the names of the columns: a file without events has a header line too. */
const NO_EVENT: AuditEvent = {
	id: "",
	tenantId: "",
	sequence: 0,
	atMs: 0,
	actor: "",
	action: "",
	target: "",
	ip: "",
	requestId: "",
	details: "{}",
	hash: "",
};

function toCsv(fields: Fields): string {
	return csvLine(
		Object.values(fields).map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value))),
	);
}
