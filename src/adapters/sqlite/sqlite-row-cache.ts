// Caches the rows that decide about each request, in the process that serves from the file.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SqlValue } from "../sql/queries.ts";
import { type Tables, tablesOf, toSqlite } from "./sqlite-statement.ts";

/** For each statement; a session with its user takes 0.7 KB. */
const ENTRIES_MAX = 32_768;

interface CachedStatement {
	readonly tables: ReadonlySet<string>;
	/** What the statement found, by its parameters. */
	readonly found: Map<string, unknown>;
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
	#isUnknownNoted = false;
	#version: unknown;

	constructor(writer: DatabaseSync) {
		this.#writer = writer;
		this.#dataVersion = writer.prepare("PRAGMA data_version");
	}

	/** Call it before `find`, in the same turn. For the writer's connection only commits of other processes change the version. */
	dropAfterForeignCommit(): void {
		const version = this.#dataVersion.get()?.["data_version"];
		if (version !== this.#version) for (const { found } of this.#statements.values()) found.clear();
		this.#version = version;
	}

	find<Found>(sql: string, parameters: readonly SqlValue[]): Found | undefined {
		return this.#statements.get(sql)?.found.get(keyOf(parameters)) as Found | undefined;
	}

	/** Call it in the turn in which the reader found this. All callers share it from then on. */
	add(sql: string, parameters: readonly SqlValue[], found: unknown): void {
		let statement = this.#statements.get(sql);
		if (statement === undefined) {
			statement = { tables: tablesOf(this.#writer, toSqlite(sql)).read, found: new Map() };
			this.#statements.set(sql, statement);
		}
		if (statement.found.size >= ENTRIES_MAX) {
			const [oldest] = statement.found.keys();
			if (oldest !== undefined) statement.found.delete(oldest);
		}
		statement.found.set(keyOf(parameters), found);
	}

	/** Call it for each statement on the writer's connection. */
	note(sql: string): void {
		this.#noted.add(sql);
	}

	/** Call it for a script on the writer's connection. */
	noteUnknown(): void {
		this.#isUnknownNoted = true;
	}

	/** Call it right after each commit, also one whose outcome is unknown. */
	dropWritten(): void {
		for (const { tables, found } of this.#statements.values())
			if (found.size > 0 && this.#isWritten(tables)) found.clear();
		this.#noted.clear();
		this.#isUnknownNoted = false;
	}

	#isWritten(tables: ReadonlySet<string>): boolean {
		if (this.#isUnknownNoted) return true;
		for (const sql of this.#noted) {
			const written = this.#writtenBy(sql);
			if (written === undefined || [...tables].some((table) => written.has(table))) return true;
		}
		return false;
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
