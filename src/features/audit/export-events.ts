// The trail as a file: JSON Lines or CSV, in the order of the chain, written while it is read.

import type { Actor, Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { csvLine } from "./csv.ts";
import type { AuditEvent, AuditLog, AuditQuery, AuditTrail } from "./model.ts";

export const EXPORT_FORMATS = ["jsonl", "csv"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportEventsDeps {
	readonly db: Persistence<{ audit: AuditLog & AuditTrail }>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Filters as the caller gave them, for the audit entry. */
export interface ExportOrder {
	readonly query: AuditQuery;
	readonly format: ExportFormat;
	readonly filters: Readonly<Record<string, string>>;
	/** An event as its line has it, in the order of the columns. */
	readonly toFields: (event: AuditEvent) => Fields;
}

const PAGE = 1_000;

/**
 * Audits the export before its first byte, and gives its parts: everything that was there then, the entry about the
 * export itself included when the filters let it through.
 */
export async function exportEvents(
	{ db }: ExportEventsDeps,
	{ query, format, filters, toFields }: ExportOrder,
	{ actor, origin }: { readonly actor: Actor; readonly origin: Origin },
): Promise<AsyncIterable<string>> {
	const { tenantId } = query;
	const end = await db.transaction(async ({ audit }) => {
		const details = { format, ...filters };
		await audit.append({ tenantId, actor, action: "audit.exported", target: "", origin, details });
		return audit.findHead(tenantId);
	});
	return parts(db.stores.audit, query, end?.sequence ?? 0, format, toFields);
}

async function* parts(
	trail: AuditTrail,
	query: AuditQuery,
	lastSequence: number,
	format: ExportFormat,
	toFields: ExportOrder["toFields"],
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

/** Only for the names of its fields: a file without events has a first line too. */
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
