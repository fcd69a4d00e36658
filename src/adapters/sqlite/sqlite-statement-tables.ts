// Which tables a statement reads and writes, as SQLite reports them while it compiles the statement.

import { constants, type DatabaseSync } from "node:sqlite";

/** The tables of a statement, triggers and the actions of foreign keys included. */
export interface StatementTables {
	readonly reads: ReadonlySet<string>;
	readonly writes: ReadonlySet<string>;
}

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
	#compiled: { isKnown: boolean; readonly reads: Set<string>; readonly writes: Set<string> } | undefined;

	/** @param database a connection with `foreign_keys` on, whose authorizer this object sets. */
	constructor(database: DatabaseSync) {
		this.#database = database;
		database.setAuthorizer?.((action, name) => {
			const compiled = this.#compiled;
			if (compiled === undefined) return constants.SQLITE_OK;
			if (!KNOWN.has(action)) compiled.isKnown = false;
			else if (WRITES.has(action)) compiled.writes.add(String(name));
			else if (action === constants.SQLITE_READ) compiled.reads.add(String(name));
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
		const compiled = { isKnown: true, reads: new Set<string>(), writes: new Set<string>() };
		this.#compiled = compiled;
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

/** SQLite treats `$1` as a name; `?1` is the same parameter by position. With a single writer, rows need no locks. */
export function toSqlite(text: string): string {
	return text.replaceAll(/\$(\d+)/g, "?$1").replace(/ FOR (?:NO KEY )?UPDATE(?: SKIP LOCKED)?/, "");
}
