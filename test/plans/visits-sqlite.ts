// The rows that a statement visits on SQLite, which does not count them: derived from its plan and the filled tables.

import type { Queries } from "../../src/adapters/sql/engine.ts";
import { TABLES } from "../../src/adapters/sql/tables/all-tables.ts";
import type { CountVisits } from "./count-visits.ts";
import { ROWS, SMALL } from "./filled-rows.ts";

const SEARCH = /^SEARCH (\w+) USING (?:COVERING )?INDEX (\w+) \((.*)\)$/;
const SCAN_OF_INDEX = /^SCAN \w+ USING (?:COVERING )?INDEX (\w+)$/;
/** SQLite builds an automatic index from all rows, for a single statement. */
const SCAN = /^(?:SCAN|SEARCH) (\w+)(?: USING AUTOMATIC|$)/;

/**
 * A search visits the rows that have the same values in the columns it compares with `=`; the most frequent values count. A
 * scan visits all rows. A page in the order of an index ends with the page.
 */
export const visitsOnSqlite: CountVisits = async (queries, sql) => {
	const steps = (await queries.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)).map(
		({ detail }) => detail,
	);
	const isPage =
		/\bLIMIT \S+( OFFSET \S+)?( FOR UPDATE SKIP LOCKED)?\)?$/.test(sql.trim()) &&
		!steps.some((step) => step.includes("TEMP B-TREE FOR ORDER BY"));
	let visited = 0;
	if (!isPage) for (const step of steps) visited = Math.max(visited, await visitedBy(queries, sql, step));
	return { visited, plan: steps.join("; ") };
};

async function visitedBy(queries: Queries, sql: string, step: string): Promise<number> {
	const search = SEARCH.exec(step);
	if (search?.[2] !== undefined)
		return mostFrequent(queries, search[2], (search[3] ?? "").split("=?").length - 1);
	const scannedIndex = SCAN_OF_INDEX.exec(step)?.[1];
	if (scannedIndex !== undefined) return mostFrequent(queries, scannedIndex, 0);
	const scanned = SCAN.exec(step)?.[1];
	if (scanned === undefined) return 0;
	const table = tableOf(sql, scanned);
	return table === undefined || table in SMALL ? 0 : ROWS;
}

/** Plans name a table by its alias. Any other name is a subquery, whose steps are in the plan too. */
function tableOf(sql: string, alias: string): string | undefined {
	const aliased = new RegExp(`\\b(\\w+) (?:AS )?${alias}\\b`).exec(sql)?.[1];
	return TABLES.find(({ name }) => name === alias || name === aliased)?.name;
}

async function mostFrequent(queries: Queries, index: string, columns: number): Promise<number> {
	const [found] = await queries.all<{ tbl_name: string; sql: string | null }>(
		"SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index' AND name = $1",
		index,
	);
	if (found === undefined) throw new Error(`no index ${index}`);
	if (found.tbl_name in SMALL) return 0;
	const [keys, where] = found.sql === null ? [await columnsOf(queries, index), ""] : partsOf(found.sql);
	const group = columns === 0 ? "" : `GROUP BY ${keys.slice(0, columns).join(", ")}`;
	const [row] = await queries.all<{ most: number | null }>(
		`SELECT max(n) AS most FROM (SELECT count(*) AS n FROM ${found.tbl_name} ${where} ${group})`,
	);
	return row?.most ?? 0;
}

async function columnsOf(queries: Queries, index: string): Promise<string[]> {
	return (await queries.all<{ name: string }>("SELECT name FROM pragma_index_info($1)", index)).map(
		({ name }) => name,
	);
}

function partsOf(sql: string): [string[], string] {
	const open = sql.indexOf("(");
	let depth = 0;
	let start = open + 1;
	const keys: string[] = [];
	for (let at = open; at < sql.length; at++) {
		const char = sql[at];
		if (char === "(") depth++;
		if (char === ")" && --depth === 0) return [[...keys, sql.slice(start, at)], sql.slice(at + 1)];
		if (char === "," && depth === 1) {
			keys.push(sql.slice(start, at));
			start = at + 1;
		}
	}
	throw new Error(`not an index: ${sql}`);
}
