// Which tables a statement reads and writes, as SQLite reports them while it compiles the statement.

import { constants, type DatabaseSync } from "node:sqlite";

/** Any rows of a table, only new ones, or the row whose `id` is the parameter with this index. */
export type Change = "any" | "inserts" | number;

/** The tables of a statement, triggers and the actions of foreign keys included. */
export interface StatementTables {
	readonly reads: ReadonlySet<string>;
	readonly writes: ReadonlyMap<string, Change>;
}

/** An UPDATE without subqueries in its condition, whose parts are captured. */
const UPDATE = /^UPDATE (\w+) SET (.+?)\sWHERE\s([^()]+)$/s;
const OTHER_ROWS = /(?:^|,)\s*id\s*=|\sFROM\s/i;
const HAS_ID = /(?:^|\sAND\s)id = \$(\d+)(?=\s|$)/;

const WRITES = new Set([constants.SQLITE_INSERT, constants.SQLITE_UPDATE, constants.SQLITE_DELETE]);
/** Statements that do more, such as a change of the schema, may write everything. */
const KNOWN = new Set([
	...WRITES,
	constants.SQLITE_READ,
	constants.SQLITE_SELECT,
	constants.SQLITE_FUNCTION,
	constants.SQLITE_RECURSIVE,
]);

/** Remembers the tables of each statement, until the schema changes. */
export class TablesOfStatements {
	readonly #database: DatabaseSync;
	readonly #known = new Map<string, StatementTables>();
	/** Set while `of` compiles a statement: the connection also compiles its own. */
	#compiled:
		| { isKnown: boolean; readonly reads: Set<string>; readonly writes: Map<string, Change> }
		| undefined;
	#text = "";

	/** @param database a connection with `foreign_keys` on, whose authorizer this object sets. */
	constructor(database: DatabaseSync) {
		this.#database = database;
		database.setAuthorizer?.((action, name, _column, _database, trigger) => {
			const compiled = this.#compiled;
			if (compiled === undefined) return constants.SQLITE_OK;
			if (!KNOWN.has(action)) compiled.isKnown = false;
			else if (WRITES.has(action)) {
				const table = String(name);
				const change = trigger === null ? changeOf(this.#text, action, table) : "any";
				const earlier = compiled.writes.get(table) ?? change;
				compiled.writes.set(table, earlier === change ? change : "any");
			} else if (action === constants.SQLITE_READ) compiled.reads.add(String(name));
			return constants.SQLITE_OK;
		});
	}

	/** Undefined for a statement that may write everything, and for one that the committed schema does not know. */
	of(text: string): StatementTables | undefined {
		const tables = this.#known.get(text) ?? this.#compile(text);
		if (tables !== undefined) this.#known.set(text, tables);
		return tables;
	}

	#compile(text: string): StatementTables | undefined {
		const compiled = { isKnown: true, reads: new Set<string>(), writes: new Map<string, Change>() };
		this.#compiled = compiled;
		this.#text = text;
		try {
			this.#database.prepare(toSqlite(text));
		} catch {
			return undefined;
		} finally {
			this.#compiled = undefined;
		}
		// Every statement reads or writes something: Node.js before 24.10 has no authorizer.
		const isReported = compiled.reads.size + compiled.writes.size > 0;
		return compiled.isKnown && isReported ? compiled : undefined;
	}

	/** Call it after each commit that may have changed the schema. */
	forget(): void {
		this.#known.clear();
	}
}

/** A conflict with an existing row replaces it, or is reported as an update besides. */
function changeOf(text: string, action: number, table: string): Change {
	if (action === constants.SQLITE_INSERT) return /\bREPLACE\b/i.test(text) ? "any" : "inserts";
	const [, updated, assignments = "", condition = ""] = UPDATE.exec(text) ?? [];
	if (action !== constants.SQLITE_UPDATE || updated !== table) return "any";
	const [, parameter] = HAS_ID.exec(condition) ?? [];
	if (parameter === undefined || OTHER_ROWS.test(assignments) || /\sOR\s/i.test(condition)) return "any";
	return Number(parameter) - 1;
}

/** SQLite treats `$1` as a name; `?1` is the same parameter by position. With a single writer, rows need no locks. */
export function toSqlite(text: string): string {
	return text.replaceAll(/\$(\d+)/g, "?$1").replace(/ FOR (?:NO KEY )?UPDATE(?: SKIP LOCKED)?/, "");
}
