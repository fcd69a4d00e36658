// Caches the rows that decide about each request, in the process that serves from the file.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SqlValue } from "../sql/queries.ts";
import { type Tables, tablesOf, toSqlite } from "./sqlite-statement.ts";

/** For each statement, enough for 20,000 sessions with their users. */
const BYTES_MAX = 2 ** 24;
/** About what V8 takes for an entry or a row, and for a value. */
const BYTES_OF_OBJECT = 64;
const BYTES_OF_VALUE = 24;

/** What one statement found, by its parameters. */
class CachedStatement {
	readonly #tables: ReadonlySet<string>;
	readonly found = new Map<string, readonly unknown[]>();
	#bytes = 0;

	constructor(tables: ReadonlySet<string>) {
		this.#tables = tables;
	}

	add(key: string, found: readonly unknown[]): void {
		const bytes = key.length + bytesOf(found);
		if (this.#bytes + bytes > BYTES_MAX) this.#clear();
		this.found.set(key, found);
		this.#bytes += bytes;
	}

	dropIfOf(written: readonly Tables["written"][]): void {
		for (const table of this.#tables) if (written.some((tables) => tables?.has(table))) this.#clear();
	}

	#clear(): void {
		this.found.clear();
		this.#bytes = 0;
	}
}

/**
 * Holds what statements marked `CACHEABLE` found, until a commit writes to a table that they read. SQLite itself names the tables
 * of a statement, with those that foreign keys and triggers write. A write whose tables are unknown drops everything.
 */
export class RowCache {
	readonly #writer: DatabaseSync;
	readonly #dataVersion: StatementSync;
	readonly #statements = new Map<string, CachedStatement>();
	/** The tables that a statement writes, by its text. */
	readonly #writes = new Map<string, ReadonlySet<string>>();
	/** Texts of the writer's statements since the last commit. */
	readonly #noted = new Set<string>();
	#hasScript = false;
	#version: unknown;

	constructor(writer: DatabaseSync) {
		this.#writer = writer;
		this.#dataVersion = writer.prepare("PRAGMA data_version");
	}

	/** Call it before `find`, in the same turn. For the writer's connection only commits of other processes change the version. */
	dropAfterForeignCommit(): void {
		const version = this.#dataVersion.get()?.["data_version"];
		if (version !== this.#version) this.#dropAll();
		this.#version = version;
	}

	/** @returns rows, or undefined when there is no entry. */
	find(sql: string, parameters: readonly SqlValue[]): readonly unknown[] | undefined {
		return this.#statements.get(sql)?.found.get(keyOf(parameters));
	}

	/** Call it in the turn in which the reader found these rows. All callers share them from then on. */
	add(sql: string, parameters: readonly SqlValue[], found: readonly unknown[]): void {
		// A caller may ask for any number of things that do not exist.
		if (found.length === 0) return;
		let statement = this.#statements.get(sql);
		if (statement === undefined) {
			statement = new CachedStatement(tablesOf(this.#writer, toSqlite(sql)).read);
			this.#statements.set(sql, statement);
		}
		statement.add(keyOf(parameters), found);
	}

	/** Call it for each statement on the writer's connection. */
	note(sql: string): void {
		this.#noted.add(sql);
	}

	/** Call it for a script on the writer's connection. */
	noteScript(): void {
		this.#hasScript = true;
	}

	/** Call it right after each commit, also one whose outcome is unknown. */
	dropWritten(): void {
		if (this.#statements.size > 0) {
			const written = [...this.#noted].map((sql) => this.#writtenBy(sql));
			if (this.#hasScript || written.includes(undefined)) this.#dropAll();
			else for (const statement of this.#statements.values()) statement.dropIfOf(written);
		}
		this.#noted.clear();
		this.#hasScript = false;
	}

	/** With what is known of the statements: the schema may have changed. */
	#dropAll(): void {
		this.#statements.clear();
		this.#writes.clear();
	}

	#writtenBy(sql: string): Tables["written"] {
		let written = this.#writes.get(sql);
		if (written === undefined) {
			try {
				written = tablesOf(this.#writer, toSqlite(sql)).written;
			} catch {
				// The commit may have removed what the statement names.
				return undefined;
			}
			if (written !== undefined) this.#writes.set(sql, written);
		}
		return written;
	}
}

function keyOf(parameters: readonly SqlValue[]): string {
	const [first] = parameters;
	return parameters.length === 1 && typeof first === "string" ? first : JSON.stringify(parameters);
}

/** Of a row, or of rows. */
function bytesOf(found: unknown): number {
	if (typeof found === "string") return BYTES_OF_VALUE + found.length;
	if (typeof found !== "object" || found === null) return BYTES_OF_VALUE;
	return Object.values(found).reduce((sum: number, value) => sum + bytesOf(value), BYTES_OF_OBJECT);
}
