// The embedded engine: node:sqlite in WAL mode, one reader and one writer, which commits once per turn of the event loop.

import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type CountedTable, replaceCounted } from "./counted-tables.ts";
import type { Engine, Queries, SqlValue } from "./engine.ts";
import { type KeptTable, keptMessage, replaceKept } from "./kept-tables.ts";
import { BUSY_TIMEOUT_MS, ReadBatch, WriteBatch } from "./sqlite-batches.ts";
import { Connection } from "./sqlite-connection.ts";
import { Faults } from "./sqlite-fault.ts";
import { Turn } from "./sqlite-turn.ts";
import { sqliteWhole } from "./sqlite-whole.ts";

/**
 * Opens (and creates) the database file. Reads go to a connection of their own and never see an open transaction;
 * those of one event-loop turn are made together, from one view of what is committed. Writes of one turn share one
 * `BEGIN IMMEDIATE … COMMIT` with `synchronous=FULL`, so every one is on disk before its promise resolves and none
 * pays an fsync of its own.
 */
export function openSqlite(file: string): Engine {
	// Its owner's alone from the first byte; SQLite gives the log beside it the same rights. Never when it is there:
	// closing any handle to a database drops the locks this process has on it.
	if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
	const writer = connect(file, false);
	const reader = connect(file, true);
	const faults = new Faults();
	const statements = new Connection(writer, faults);
	const turn = new Turn();
	const batch = new WriteBatch(writer, faults, turn);
	const reads = new ReadBatch(reader, faults, turn);
	turn.serve(reads, batch);
	const inTransaction: Queries = statements;
	const committed = new StandAlone(new Connection(reader, faults), reads, statements, batch);
	return {
		name: "sqlite",
		get failures() {
			return faults.count;
		},
		queries: committed,
		transaction: (work) => batch.add(() => work(inTransaction), false),
		script: async (_queries, sql) => writer.exec(sql),
		migrationText: (sql) => replaceCounted(replaceKept(sql, keptTriggers), countTriggers),
		hasTable: async (name) => {
			const sql = "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1";
			return (await committed.one(sql, name)) !== undefined;
		},
		// The lock on the data folder has seen to it already.
		exclusively: (work) => work(),
		whole: sqliteWhole(file, writer, faults),
		close: async () => {
			await batch.idle();
			reads.flush();
			reader.close();
			writer.close();
		},
	};
}

function keptTriggers({ table, updateWhen, deleteWhen }: KeptTable): string {
	const trigger = (event: "UPDATE" | "DELETE", allowed: string | undefined): string =>
		`CREATE TRIGGER ${table}_no_${event.toLowerCase()} BEFORE ${event} ON ${table}${allowed === undefined ? "" : ` WHEN NOT (${allowed})`}
		 BEGIN SELECT RAISE(ABORT, '${keptMessage(table)}'); END;`;
	return trigger("UPDATE", updateWhen) + trigger("DELETE", deleteWhen);
}

/** One writer: the count itself is changed, in the transaction that changes the rows. */
function countTriggers({ table, column }: CountedTable): string {
	const add = (row: "NEW" | "OLD", change: 1 | -1): string =>
		`INSERT INTO row_counts (tenant_id, table_name, value, part, total) VALUES (${row}.tenant_id, '${table}', ${row}.${column}, 0, ${change})
		 ON CONFLICT (tenant_id, table_name, value, part) DO UPDATE SET total = row_counts.total + excluded.total;`;
	return `
CREATE TRIGGER ${table}_counted_insert AFTER INSERT ON ${table} BEGIN ${add("NEW", 1)} END;
CREATE TRIGGER ${table}_counted_delete AFTER DELETE ON ${table} BEGIN ${add("OLD", -1)} END;
CREATE TRIGGER ${table}_counted_update AFTER UPDATE OF ${column} ON ${table} WHEN NEW.${column} <> OLD.${column}
	BEGIN ${add("OLD", -1)} ${add("NEW", 1)} END;`;
}

function connect(file: string, reader: boolean): DatabaseSync {
	const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
	database.exec(
		"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;",
	);
	if (reader) database.exec("PRAGMA query_only = ON;");
	return database;
}

/** Statements outside a transaction, by way of the two batches. */
class StandAlone implements Queries {
	readonly #reader: Connection;
	readonly #reads: ReadBatch;
	readonly #writer: Connection;
	readonly #writes: WriteBatch;

	constructor(reader: Connection, reads: ReadBatch, writer: Connection, writes: WriteBatch) {
		this.#reader = reader;
		this.#reads = reads;
		this.#writer = writer;
		this.#writes = writes;
	}

	one<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row | undefined> {
		return this.#reads.add(() => this.#reader.oneNow<Row>(sql, parameters));
	}

	all<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row[]> {
		return this.#reads.add(() => this.#reader.allNow<Row>(sql, parameters));
	}

	run(sql: string, ...parameters: SqlValue[]): Promise<number> {
		return this.#writes.add(() => this.#writer.runNow(sql, parameters), true);
	}

	awaitWriters(): Promise<void> {
		return this.#writer.awaitWriters();
	}
}
