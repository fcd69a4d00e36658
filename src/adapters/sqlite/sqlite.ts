// The embedded engine: node:sqlite in WAL mode, one reader and one writer, which commits once per turn of the event loop.

import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Engine, Queries } from "../sql/engine.ts";
import {
	type CountedTable,
	type KeptTable,
	keptMessage,
	type OverwriteGuard,
	replaceMarks,
} from "../sql/marked-tables.ts";
import type { Sql, SqlValue, Statement } from "../sql/queries.ts";
import { BUSY_TIMEOUT_MS, ReadBatch, WriteBatch } from "./sqlite-batches.ts";
import { Connection } from "./sqlite-connection.ts";
import { Faults } from "./sqlite-fault.ts";
import { Ledger } from "./sqlite-ledger.ts";
import { createNameIndex, extendNameIndex } from "./sqlite-names.ts";
import { RowCache } from "./sqlite-row-cache.ts";
import { Searches } from "./sqlite-searches.ts";
import { TablesOfStatements } from "./sqlite-statement-tables.ts";
import { Turn } from "./sqlite-turn.ts";
import { sqliteWhole } from "./sqlite-whole.ts";

/** How PostgreSQL stores a table. */
const STORAGE = / WITH \(\w+ = -?\d+\);/g;

/**
 * Opens (and creates) the database file. Reads use a separate connection and never see an open transaction; those of one
 * event-loop turn share one snapshot. Writes of one turn share one `BEGIN IMMEDIATE … COMMIT` with `synchronous=FULL`:
 * each is on disk before its promise resolves, for one fsync a turn.
 */
export function openSqlite(file: string): Engine {
	// Create the file readable only by its owner; SQLite gives the WAL file the same mode. Never open an existing file:
	// closing any handle to a database releases the locks of this process on it.
	if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
	const writer = connect(file, false);
	const reader = connect(file, true);
	const faults = new Faults();
	const cache = new RowCache(writer, new TablesOfStatements(reader));
	const statements = new Connection(writer, faults, cache);
	const turn = new Turn();
	const batch = new WriteBatch(writer, cache, faults, turn);
	const reads = new ReadBatch(reader, cache, faults, turn);
	turn.serve(reads, batch);
	const ledger = new Ledger(writer, file, (work) => batch.add(work, false));
	batch.ledger = ledger;
	const searches = new Searches(file, faults);
	const committed = standAlone(new Connection(reader, faults), reads, statements, batch, searches);
	let isClosing = false;
	const engine: Engine<Connection> = {
		name: "sqlite",
		// The lock on the data directory excludes other services, and commands next to a service claim no nonces.
		soleWriter: true,
		get failures() {
			return faults.count;
		},
		slowQueries: 0,
		get damaged() {
			return faults.damaged;
		},
		serverIdentity: undefined,
		ownership: ledger,
		probeServers: () => Promise.resolve([]),
		pool: undefined,
		queries: committed,
		transaction: (work) => batch.add(() => work(statements), false),
		script: async (_queries, sql) => statements.exec(sql),
		migrationText: (sql) =>
			replaceMarks(sql.replaceAll(STORAGE, ";"), {
				keep: keptTriggers,
				neverOverwrite: overwriteTrigger,
				count: countTriggers,
				monthly: (key) => `PRIMARY KEY (${key})\n);`,
				append: "",
			}),
		hasTable: async (name) => {
			const sql = "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1";
			return (await committed.one(sql, name)) !== undefined;
		},
		async countRows(table) {
			const counted = await committed.one<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`);
			return counted?.rows ?? 0;
		},
		// The lock on the data directory excludes other processes.
		exclusively: (work) => work(),
		keepPlans: () => Promise.resolve(),
		prepareMonths: () => Promise.resolve(),
		async prepareSearches() {
			await batch.add(() => createNameIndex(statements), false);
			while (!isClosing && (await batch.add(() => extendNameIndex(statements), false)))
				await new Promise((next) => setImmediate(next));
		},
		whole: sqliteWhole(file, statements, faults),
		close: async () => {
			isClosing = true;
			await batch.idle();
			await searches.close();
			reads.flush();
			ledger.close();
			reader.close();
			writer.close();
		},
	};
	return engine;
}

function keptTriggers({ table, updateWhen, deleteWhen }: KeptTable): string {
	const trigger = (event: "UPDATE" | "DELETE", allowed: string | undefined): string =>
		`CREATE TRIGGER ${table}_no_${event.toLowerCase()} BEFORE ${event} ON ${table}${allowed === undefined ? "" : ` WHEN NOT (${allowed})`}
		 BEGIN SELECT RAISE(ABORT, '${keptMessage(table)}'); END;`;
	return trigger("UPDATE", updateWhen) + trigger("DELETE", deleteWhen);
}

/** `INSERT OR REPLACE` deletes without delete triggers (`recursive_triggers` is off), including by rowid. */
function overwriteTrigger({ table, keys }: OverwriteGuard): string {
	const found = [["rowid"], ...keys].map((columns) => {
		const same = columns.map((column) => `${column} = NEW.${column}`).join(" AND ");
		return `EXISTS (SELECT 1 FROM ${table} WHERE ${same})`;
	});
	return `CREATE TRIGGER ${table}_no_overwrite BEFORE INSERT ON ${table} WHEN ${found.join(" OR ")}
		 BEGIN SELECT RAISE(ABORT, '${keptMessage(table)}'); END;`;
}

/** With one writer, the transaction that changes rows updates the count itself. */
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
	// A statement that inserts many rows, or fires triggers, copies each page before it changes it. In memory, because in a file the
	// copies of an import are more than all that is written besides.
	database.exec(reader ? "PRAGMA query_only = ON;" : "PRAGMA temp_store = MEMORY;");
	return database;
}

/** Runs statements that are not in a transaction: reads and writes in a batch each. */
function standAlone(
	reader: Connection,
	reads: ReadBatch,
	writer: Connection,
	writes: WriteBatch,
	searches: Searches,
): Queries {
	function cached<Row>(sql: Statement, parameters: SqlValue[]): Promise<Row[]> {
		const read = (): readonly Row[] =>
			Object.freeze(reader.allNow<Row>(sql, parameters).map((row) => Object.freeze(row)));
		return reads.add(read, { sql, parameters }) as Promise<Row[]>;
	}

	return {
		one<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row | undefined> {
			if (typeof sql !== "string" && sql.reads === "cached")
				return cached<Row>(sql, parameters).then(([row]) => row);
			return reads.add(() => reader.oneNow<Row>(sql, parameters));
		},
		all<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row[]> {
			if (typeof sql !== "string") {
				if (sql.reads === "cached") return cached(sql, parameters);
				if (sql.reads === "separately") return searches.all<Row>(sql, parameters);
			}
			return reads.add(() => reader.allNow<Row>(sql, parameters));
		},
		run: (sql, ...parameters) => writes.add(() => writer.runNow(sql, parameters), true),
	};
}
