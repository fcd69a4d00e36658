// Sends all rows of a list as comma-separated values, read part by part.

import { Readable } from "node:stream";
import { CSV_START, csvLine } from "../../kernel/csv.ts";
import { EXPORTED_AT_ONCE, type Page, type RowPlace } from "../../kernel/page.ts";
import type { Call, Endpoint } from "../describe/endpoint.ts";
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

/**
 * The export is recorded before its first byte is sent. An error before that is an ordinary response; a later one closes the
 * connection. A HEAD reads the first part only, so that it returns the status of a GET.
 *
 * @param admitAgain throws once the caller may no longer read the list: a slow reader could take hours
 */
export async function exportList(
	{ response, handle }: Endpoint,
	call: ListCall,
	record: RecordExport,
	admitAgain: () => unknown,
	exchange: HttpExchange,
): Promise<void> {
	const { list = "", columns = [] } = response.csv ?? {};
	const { format: _, sort: __, ...query } = call.query;
	const sent = exchange.found.query;
	const filters = Object.keys(query).map((name) => [name, PERSONAL_FILTERS.has(name) || String(sent[name])]);
	const details = { list, format: "csv", ...call.ids, ...Object.fromEntries(filters) };
	const readAfter: ReadAfter = async (after) => {
		const page = { page: 1, pageSize: EXPORTED_AT_ONCE, after };
		return ((await handle({ ...call, query, page })) as Page<Row>).items;
	};
	const first = await readAfter(NEWEST);
	const readNext: ReadAfter = async (after) => {
		await admitAgain();
		return await readAfter(after);
	};
	const parts = partsOf(columns, first, readNext, () => record(call.caller, details));
	await exchange.stream(200, headersOf(list), Readable.from(parts));
}

function headersOf(list: string): Record<string, string> {
	return {
		"content-type": "text/csv; charset=utf-8",
		"content-disposition": `attachment; filename="${list}.csv"`,
		"cache-control": "no-store",
	};
}

type ReadAfter = (place: RowPlace) => Promise<readonly Row[]>;

async function* partsOf(
	columns: readonly string[],
	first: readonly Row[],
	readNext: ReadAfter,
	record: () => Promise<void>,
): AsyncGenerator<string> {
	const toLine = (row: Row) =>
		csvLine(columns.map((column) => (row as unknown as Record<string, unknown>)[column]));
	await record();
	let start = CSV_START + csvLine(columns);
	for (let rows = first; ; ) {
		yield start + rows.map(toLine).join("");
		start = "";
		const last = rows.at(-1);
		if (last === undefined || rows.length < EXPORTED_AT_ONCE) return;
		rows = await readNext({ createdAtMs: Date.parse(last.created_at), id: last.id });
	}
}
