// Exports the audit trail as JSON Lines or CSV, oldest first, streamed page by page.

import type { AuditEvent, AuditQuery, AuditTrail, EventPlace } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { CSV_START, csvLine } from "../../../kernel/csv.ts";
import type { Needs } from "../../platform.ts";

export const EXPORT_FORMATS = ["jsonl", "csv"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

type Fields = Readonly<Record<string, unknown>>;

export interface EventExport {
	readonly filter: Omit<AuditQuery, "tenantId">;
	readonly format: ExportFormat;
	readonly columns: readonly string[];
	/** The fields of a line, in the order of the columns. */
	readonly toFields: (event: AuditEvent) => Fields;
}

const PAGE = 1_000;

/**
 * Appends the audit event of the export, then returns the parts of the file: all matching events up to and including
 * that event.
 */
export async function exportEvents(
	{ db }: Needs<"audit">,
	eventExport: EventExport,
	caller: Caller,
): Promise<AsyncIterable<string>> {
	const { fromMs, toMs, actions = [], actorName, targetName, requestId, ...exact } = eventExport.filter;
	const details = {
		format: eventExport.format,
		...withValues({ ...exact, action: actions.join(",") || undefined, request_id: requestId }),
		// Not the name itself: it would remain after its user was deleted.
		...(actorName !== undefined && { actor_name: true }),
		...(targetName !== undefined && { target_name: true }),
		...(fromMs !== undefined && { from: isoTime(fromMs) }),
		...(toMs !== undefined && { to: isoTime(toMs) }),
	};
	const end = await db.transaction(async ({ audit }) => {
		await audit.append(caller, "audit.exported", "", details);
		return audit.findHead(caller.tenantId);
	});
	return parts(db.stores.audit, caller.tenantId, eventExport, end?.sequence ?? 0);
}

function withValues(filters: Readonly<Record<string, string | undefined>>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
}

async function* parts(
	trail: AuditTrail,
	tenantId: string,
	{ filter, format, columns, toFields }: EventExport,
	lastSequence: number,
): AsyncGenerator<string> {
	const isCsv = format === "csv";
	let header = isCsv ? CSV_START + csvLine(columns) : "";
	for (let after: EventPlace = { atMs: 0, sequence: 0 }; ; ) {
		const events = await trail.listMatching({ tenantId, ...filter }, { after, upTo: lastSequence }, PAGE);
		const rows = events.map(toFields);
		yield header + rows.map(isCsv ? toCsv : toJsonLine).join("");
		header = "";
		const last = events.at(-1);
		if (last === undefined || events.length < PAGE) return;
		after = last;
	}
}

function toJsonLine(fields: Fields): string {
	return `${JSON.stringify(fields)}\n`;
}

function toCsv(fields: Fields): string {
	return csvLine(Object.values(fields));
}
