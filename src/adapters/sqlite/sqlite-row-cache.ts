// Caches the rows that every request reads, in the process that serves from the file.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type Sql, type SqlValue, type Statement, textOf } from "../sql/queries.ts";
import type { Change, TablesOfStatements } from "./sqlite-statement-tables.ts";

/** The limit per statement, enough for 20,000 sessions with their users. */
const BYTES_MAX = 2 ** 24;
/** Approximately what V8 allocates for an entry or a row, and for a value. */
const BYTES_OF_OBJECT = 64;
const BYTES_OF_VALUE = 24;

/** Rows found by one statement, by its parameters. */
interface CachedStatement {
	/** The tables that it reads; undefined if any write may change it. */
	readonly reads: ReadonlySet<string> | undefined;
	/** The table whose one row has the only parameter as its `id`. */
	readonly keyedBy: string | undefined;
	/** Of other tables, the columns of the found rows with the `id` of the only row that they depend on. */
	readonly idsIn: Readonly<Record<string, string>>;
	readonly found: Map<string, readonly unknown[]>;
	bytes: number;
}

/**
 * Holds the rows of `cached` statements until the next commit that may have changed them: one that writes a table which the
 * statement reads, except for writes that are declared as `leavesCache`. A missing declaration costs speed; it never keeps a
 * stale row.
 */
export class RowCache {
	readonly #dataVersion: StatementSync;
	readonly #tables: TablesOfStatements;
	readonly #statements = new Map<string, CachedStatement>();
	/** The tables written since the last commit, and the ids of their changed rows; undefined for any rows. */
	readonly #written = new Map<string, Set<SqlValue> | undefined>();
	/** A statement may have written everything. */
	#isStale = false;
	#version: unknown;

	constructor(writer: DatabaseSync, tables: TablesOfStatements) {
		this.#tables = tables;
		this.#dataVersion = writer.prepare("PRAGMA data_version");
	}

	/** Call it before `find`, in the same turn. On the writer's connection, only commits of other processes change the version. */
	dropAfterForeignCommit(): void {
		const version = this.#dataVersion.get()?.data_version;
		if (version === this.#version) return;
		this.#version = version;
		this.#statements.clear();
		// It may have changed the schema, such as by a migration or a trigger.
		this.#tables.forget();
	}

	/** @returns rows, or undefined when there is no entry. */
	find(text: string, parameters: readonly SqlValue[]): readonly unknown[] | undefined {
		return this.#statements.get(text)?.found.get(keyOf(parameters));
	}

	/** Call it in the turn in which the reader found these rows. Callers share them from then on. */
	add(
		{ text, keyedBy, idsIn = {} }: Statement,
		parameters: readonly SqlValue[],
		found: readonly unknown[],
	): void {
		// A caller may request any number of missing things.
		if (found.length === 0) return;
		const key = keyOf(parameters);
		const bytes = key.length + bytesOf(found);
		let statement = this.#statements.get(text);
		if (statement === undefined || statement.bytes + bytes > BYTES_MAX) {
			statement = { found: new Map(), bytes: 0, reads: this.#tables.of(text)?.reads, keyedBy, idsIn };
			this.#statements.set(text, statement);
		}
		statement.found.set(key, found);
		statement.bytes += bytes;
	}

	/** Call it for each statement on the writer's connection. A SELECT never writes. */
	note(sql: Sql, parameters: readonly SqlValue[]): void {
		if (typeof sql !== "string" && sql.leavesCache === true) return;
		const text = textOf(sql);
		if (this.#isStale || text.startsWith("SELECT ")) return;
		const tables = this.#tables.of(text);
		if (tables === undefined) this.#isStale = true;
		else for (const [table, change] of tables.writes) this.#noteChange(table, change, parameters);
	}

	#noteChange(table: string, change: Change, parameters: readonly SqlValue[]): void {
		const ids = this.#written.has(table) ? this.#written.get(table) : new Set<SqlValue>();
		if (typeof change === "number") ids?.add(parameters[change] ?? null);
		this.#written.set(table, change === "any" ? undefined : ids);
	}

	/** Call it for a script on the writer's connection: any of its statements may write. */
	noteScript(): void {
		this.#isStale = true;
	}

	/** Call it right after each commit, even if its outcome is unknown. */
	dropIfWritten(): void {
		if (this.#isStale) {
			this.#statements.clear();
			this.#tables.forget();
		} else if (this.#written.size > 0)
			for (const [text, statement] of this.#statements)
				if (this.#isChanged(statement)) this.#statements.delete(text);
		this.#isStale = false;
		this.#written.clear();
	}

	/** Drops single rows if no others changed. @returns whether any row may have changed */
	#isChanged(statement: CachedStatement): boolean {
		const { reads, keyedBy, idsIn } = statement;
		if (reads === undefined) return true;
		const written = [...reads].filter((table) => this.#written.has(table));
		for (const table of written) {
			const ids = this.#written.get(table);
			if (ids === undefined || (table !== keyedBy && idsIn[table] === undefined)) return true;
		}
		for (const table of written) {
			const ids = this.#written.get(table) ?? new Set<SqlValue>();
			if (table === keyedBy) for (const id of ids) drop(statement, keyOf([id]));
			else if (ids.size > 0) dropHolding(statement, idsIn[table] as string, new Set([...ids].map(String)));
		}
		return false;
	}
}

function dropHolding(statement: CachedStatement, column: string, ids: ReadonlySet<string>): void {
	for (const [key, rows] of statement.found)
		if ((rows as Record<string, SqlValue>[]).some((row) => ids.has(String(row[column]))))
			drop(statement, key);
}

function drop(statement: CachedStatement, key: string): void {
	const rows = statement.found.get(key);
	if (rows === undefined) return;
	statement.bytes -= key.length + bytesOf(rows);
	statement.found.delete(key);
}

function keyOf(parameters: readonly SqlValue[]): string {
	const [first] = parameters;
	return parameters.length === 1 && typeof first === "string" ? first : JSON.stringify(parameters);
}

/** Estimates the size of a row or a list of rows. */
function bytesOf(found: unknown): number {
	if (typeof found === "string") return BYTES_OF_VALUE + found.length;
	if (typeof found !== "object" || found === null) return BYTES_OF_VALUE;
	return Object.values(found).reduce((sum: number, value) => sum + bytesOf(value), BYTES_OF_OBJECT);
}
