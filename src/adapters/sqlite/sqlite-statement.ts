// The text of a statement as SQLite takes it, and the tables that it uses.

import type { DatabaseSync } from "node:sqlite";
import { BESIDE, CACHEABLE, NAMED_LIKE } from "../sql/queries.ts";

/** `$1` would be a name to SQLite; `?1` is the same parameter by position. */
export function toSqlite(sql: string): string {
	return sql
		.replaceAll(NAMED_LIKE, "$1")
		.replaceAll(/\$(\d+)/g, "?$1")
		.replace("{{skip locked}}", "")
		.replaceAll(BESIDE, "")
		.replace(CACHEABLE, "");
}

export interface Tables {
	readonly read: ReadonlySet<string>;
	/** With those that foreign keys and triggers write. Undefined for a change of the schema and for what writes no known table. */
	readonly written: ReadonlySet<string> | undefined;
}

/** Where instructions have the first page of a table or of an index. */
const PAGES: Readonly<Record<string, "p1" | "p2">> = { OpenRead: "p2", OpenWrite: "p2", Clear: "p1" };
const SCHEMA_PAGE = 1;

/** @param sql one statement, as `toSqlite` returns it. */
export function tablesOf(database: DatabaseSync, sql: string): Tables {
	const read = new Set<unknown>();
	const written = new Set<unknown>();
	let writes = false;
	for (const instruction of database.prepare(`EXPLAIN ${sql}`).all()) {
		const opcode = String(instruction["opcode"]);
		if (opcode === "Transaction") writes ||= instruction["p2"] !== 0;
		const place = PAGES[opcode];
		if (place !== undefined) (opcode === "OpenRead" ? read : written).add(instruction[place]);
	}
	const isKnown = !writes || (written.size > 0 && !written.has(SCHEMA_PAGE));
	return { read: namesOf(database, read), written: isKnown ? namesOf(database, written) : undefined };
}

function namesOf(database: DatabaseSync, pages: ReadonlySet<unknown>): ReadonlySet<string> {
	const find =
		"SELECT DISTINCT tbl_name FROM sqlite_master WHERE rootpage IN (SELECT value FROM json_each(?))";
	const rows = database.prepare(find).all(JSON.stringify([...pages]));
	return new Set(rows.map((row) => String(row["tbl_name"])));
}
