// Sends all rows of a list as comma-separated values, read part by part.

import { Readable } from "node:stream";
import { CSV_START, csvLine } from "../kernel/csv.ts";
import { EXPORTED_AT_ONCE, type Page, type PageQuery, type RowPlace } from "../kernel/page.ts";
import type { Call, Endpoint } from "./endpoint.ts";
import type { HttpExchange } from "./http-exchange.ts";

/** Appends the export to the audit trail of the caller's tenant. */
export type RecordExport = (
	caller: unknown,
	details: Readonly<Record<string, string | true>>,
) => Promise<void>;

/** Texts that may describe a user: recorded as used, but not with their value, which would outlive the user. */
const PERSONAL_FILTERS = new Set(["q", "email", "username"]);
/** Newer than any row. */
const NEWEST: RowPlace = { createdAtMs: Number.MAX_SAFE_INTEGER, id: "" };

interface Row {
	readonly id: string;
	readonly created_at: string;
}

type ListCall = Omit<Call<unknown, Readonly<Record<string, unknown>>, unknown>, "page">;

/** The export is recorded before its first byte is sent. An error before that is an ordinary response. */
export function exportList(
	{ response, handle }: Endpoint,
	call: ListCall,
	record: RecordExport,
	exchange: HttpExchange,
): Promise<void> {
	const { list = "", columns = [] } = response.csv ?? {};
	const { format: _, sort: __, ...query } = call.query;
	const read = async (page: PageQuery): Promise<readonly Row[]> =>
		((await handle({ ...call, query, page })) as Page<Row>).items;
	const sent = exchange.found.query;
	const filters = Object.keys(query).map((name) => [name, PERSONAL_FILTERS.has(name) || String(sent[name])]);
	const details = { list, format: "csv", ...call.ids, ...Object.fromEntries(filters) };
	const parts = partsOf(columns, read, () => record(call.caller, details));
	return exchange.stream(200, headersOf(list), Readable.from(parts));
}

function headersOf(list: string): Record<string, string> {
	return {
		"content-type": "text/csv; charset=utf-8",
		"content-disposition": `attachment; filename="${list}.csv"`,
		"cache-control": "no-store",
	};
}

async function* partsOf(
	columns: readonly string[],
	read: (page: PageQuery) => Promise<readonly Row[]>,
	record: () => Promise<void>,
): AsyncGenerator<string> {
	const toLine = (row: Row) =>
		csvLine(columns.map((column) => (row as unknown as Record<string, unknown>)[column]));
	let start = CSV_START + csvLine(columns);
	for (let after = NEWEST; ; ) {
		const rows = await read({ page: 1, pageSize: EXPORTED_AT_ONCE, after });
		if (after === NEWEST) await record();
		yield start + rows.map(toLine).join("");
		start = "";
		const last = rows.at(-1);
		if (last === undefined || rows.length < EXPORTED_AT_ONCE) return;
		after = { createdAtMs: Date.parse(last.created_at), id: last.id };
	}
}
