// The embedded engine: node:sqlite in WAL mode, one writer that commits once per turn of the event loop.

import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { AppError } from "../../kernel/error.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import type { Engine, Queries, SqlValue } from "./engine.ts";
import { type KeptTable, keptMessage, replaceKept } from "./kept-tables.ts";

/** How long a write waits for another process's (a command beside the service) to end. */
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 10;
const BUSY = 5;

/** Primary result codes after which the caller may simply try again: busy, locked, read-only, I/O, full, cannot open. */
const AWAY = new Set([5, 6, 8, 10, 13, 14]);
const CONSTRAINT_UNIQUE = 2067;
const CONSTRAINT_PRIMARYKEY = 1555;

interface Job {
	/** Runs inside the open batch; a rejection undoes this job alone. */
	run(): unknown;
	/** A lone statement needs no savepoint: SQLite undoes a failed statement by itself. */
	readonly lone: boolean;
	resolve(value: unknown): void;
	reject(error: unknown): void;
}

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
		migrationText: (sql) => replaceKept(sql.replaceAll("{{clustered}}", "WITHOUT ROWID"), keptTriggers),
		hasTable: async (name) => {
			const sql = "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = $1";
			return (await committed.one(sql, name)) !== undefined;
		},
		// The lock on the data folder has seen to it already.
		exclusively: (work) => work(),
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

function connect(file: string, reader: boolean): DatabaseSync {
	const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
	database.exec(
		"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;",
	);
	if (reader) database.exec("PRAGMA query_only = ON;");
	return database;
}

/** Prepared statements of one connection, each prepared once and kept. */
class Connection implements Queries {
	readonly #database: DatabaseSync;
	readonly #faults: Faults;
	readonly #statements = new Map<string, Prepared>();

	constructor(database: DatabaseSync, faults: Faults) {
		this.#database = database;
		this.#faults = faults;
	}

	one<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row | undefined> {
		return this.#settle(() => this.oneNow<Row>(sql, parameters));
	}

	all<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row[]> {
		return this.#settle(() => this.allNow<Row>(sql, parameters));
	}

	run(sql: string, ...parameters: SqlValue[]): Promise<number> {
		return this.#settle(() => this.runNow(sql, parameters));
	}

	/** There is one writer, and whoever asks is it. */
	awaitWriters(): Promise<void> {
		return Promise.resolve();
	}

	oneNow<Row>(sql: string, parameters: SqlValue[]): Row | undefined {
		const { statement, columns } = this.#prepared(sql);
		const values = statement.get(...parameters) as unknown as SqlValue[] | undefined;
		return values === undefined ? undefined : (toRow(columns, values) as Row);
	}

	allNow<Row>(sql: string, parameters: SqlValue[]): Row[] {
		const { statement, columns } = this.#prepared(sql);
		const rows = statement.all(...parameters) as unknown as SqlValue[][];
		return rows.map((values) => toRow(columns, values) as Row);
	}

	runNow(sql: string, parameters: SqlValue[]): number {
		return Number(this.#prepared(sql).statement.run(...parameters).changes);
	}

	/** A promise of a synchronous result; node:sqlite never waits, so neither do we. */
	#settle<T>(work: () => T): Promise<T> {
		try {
			return Promise.resolve(work());
		} catch (error) {
			return Promise.reject(this.#faults.translate(error));
		}
	}

	#prepared(sql: string): Prepared {
		let prepared = this.#statements.get(sql);
		if (prepared === undefined) {
			// `$1` would be a name to SQLite; `?1` is the same parameter by position.
			const text = sql.replaceAll(/\$(\d+)/g, "?$1").replace("{{skip locked}}", "");
			const statement = this.#database.prepare(text);
			statement.setReturnArrays(true);
			prepared = { statement, columns: statement.columns().map(({ name }) => name) };
			this.#statements.set(sql, prepared);
		}
		return prepared;
	}
}

interface Prepared {
	readonly statement: StatementSync;
	readonly columns: readonly string[];
}

/** The rows node:sqlite makes by itself are each of a hidden class of their own: as slow to read as to make. */
function toRow(columns: readonly string[], values: readonly SqlValue[]): Record<string, SqlValue> {
	const row: Record<string, SqlValue> = {};
	for (let index = 0; index < columns.length; index++)
		row[columns[index] as string] = values[index] as SqlValue;
	return row;
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

/** What waits to be done together. */
interface Waiting {
	readonly isWaiting: boolean;
	flush(): void;
}

/** How often in a turn what the last flush led to is flushed as well, before everybody else's events are let in. */
const FLUSHES_A_TURN = 8;

/**
 * Does at the end of each turn of the event loop what its requests have asked of the database: first all reads, then
 * all writes, then what those led to. So the requests of a turn go through their reads and writes side by side: SQLite's
 * code stays in the processor's cache (alone, a read costs four times as much), and all of them share one commit.
 */
class Turn {
	#reads: Waiting | undefined;
	#writes: Waiting | undefined;
	#isDue = false;
	#flushes = 0;

	serve(reads: Waiting, writes: Waiting): void {
		this.#reads = reads;
		this.#writes = writes;
	}

	/** To be called when something waits. */
	wake(): void {
		if (this.#isDue) return;
		this.#isDue = true;
		setImmediate(this.#begin);
	}

	readonly #begin = (): void => {
		this.#flushes = 0;
		this.#next();
	};

	readonly #next = (): void => {
		const next = this.#reads?.isWaiting ? this.#reads : this.#writes;
		if (!next?.isWaiting) this.#isDue = false;
		else if (++this.#flushes > FLUSHES_A_TURN) setImmediate(this.#begin);
		else {
			next.flush();
			queueMicrotask(this.#follow);
		}
	};

	/** A tick begun in a microtask comes after all microtasks: after whoever had waited for an answer has gone on. */
	readonly #follow = (): void => process.nextTick(this.#next);
}

/** The reads of one turn, one after the other in one transaction: its lock costs as much as finding a row. */
class ReadBatch implements Waiting {
	readonly #database: DatabaseSync;
	readonly #faults: Faults;
	readonly #turn: Turn;
	readonly #begin: StatementSync;
	readonly #commit: StatementSync;
	#queue: Omit<Job, "lone">[] = [];

	constructor(database: DatabaseSync, faults: Faults, turn: Turn) {
		this.#database = database;
		this.#faults = faults;
		this.#turn = turn;
		this.#begin = database.prepare("BEGIN");
		this.#commit = database.prepare("COMMIT");
	}

	get isWaiting(): boolean {
		return this.#queue.length > 0;
	}

	add<T>(run: () => T): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ run, resolve: resolve as (value: unknown) => void, reject });
			this.#turn.wake();
		});
	}

	flush(): void {
		const jobs = this.#queue;
		this.#queue = [];
		try {
			if (jobs.length > 1) this.#begin.run();
			for (const job of jobs) {
				try {
					job.resolve(job.run());
				} catch (error) {
					job.reject(this.#faults.translate(error));
				}
			}
			// A read that failed may have ended the transaction already.
			if (this.#database.isTransaction) this.#commit.run();
		} catch (error) {
			const reason = this.#faults.translate(error);
			for (const job of jobs) job.reject(reason);
		}
	}
}

/** The writes of one turn, in one transaction. */
class WriteBatch implements Waiting {
	readonly #database: DatabaseSync;
	readonly #begin: StatementSync;
	readonly #commit: StatementSync;
	readonly #savepoint: StatementSync;
	readonly #release: StatementSync;
	readonly #undo: StatementSync;
	readonly #faults: Faults;
	readonly #turn: Turn;
	#queue: Job[] = [];
	#flushing: Promise<void> | undefined;

	constructor(database: DatabaseSync, faults: Faults, turn: Turn) {
		this.#database = database;
		this.#faults = faults;
		this.#turn = turn;
		// From here on waiting is `#begun`'s: inside SQLite it would stop the whole process.
		database.exec("PRAGMA busy_timeout = 0");
		this.#begin = database.prepare("BEGIN IMMEDIATE");
		this.#commit = database.prepare("COMMIT");
		this.#savepoint = database.prepare("SAVEPOINT job");
		this.#release = database.prepare("RELEASE job");
		this.#undo = database.prepare("ROLLBACK TO job");
	}

	/** Not while a flush is under way: what comes meanwhile is for the next. */
	get isWaiting(): boolean {
		return this.#flushing === undefined && this.#queue.length > 0;
	}

	add<T>(run: () => T | Promise<T>, lone: boolean): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ run, lone, resolve: resolve as (value: unknown) => void, reject });
			this.#turn.wake();
		});
	}

	async idle(): Promise<void> {
		while (this.#flushing !== undefined || this.#queue.length > 0)
			await (this.#flushing ?? new Promise((next) => setImmediate(next)));
	}

	flush(): void {
		const jobs = this.#queue;
		this.#queue = [];
		this.#flushing = this.#flush(jobs).finally(() => {
			this.#flushing = undefined;
			if (this.#queue.length > 0) this.#turn.wake();
		});
	}

	async #flush(jobs: Job[]): Promise<void> {
		const done: { job: Job; value: unknown }[] = [];
		try {
			await this.#begun();
			for (const job of jobs) {
				try {
					done.push({ job, value: job.lone ? job.run() : await this.#guarded(job) });
				} catch (error) {
					// Out of space or an I/O error may have undone the whole batch already.
					if (!this.#database.isTransaction) throw error;
					job.reject(this.#faults.translate(error));
				}
			}
			this.#commit.run();
		} catch (error) {
			if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
			const reason = this.#faults.translate(error);
			for (const job of jobs) job.reject(reason);
			return;
		}
		for (const { job, value } of done) job.resolve(value);
	}

	/** Meanwhile reads go on, and further writes gather for the next batch. */
	async #begun(): Promise<void> {
		const deadline = performance.now() + BUSY_TIMEOUT_MS;
		for (;;) {
			try {
				this.#begin.run();
				return;
			} catch (error) {
				if (((resultCode(error) ?? 0) & 0xff) !== BUSY || performance.now() >= deadline) throw error;
				await new Promise((next) => setTimeout(next, BUSY_RETRY_MS));
			}
		}
	}

	async #guarded(job: Job): Promise<unknown> {
		this.#savepoint.run();
		try {
			const value = await job.run();
			this.#release.run();
			return value;
		} catch (error) {
			if (this.#database.isTransaction) {
				this.#undo.run();
				this.#release.run();
			}
			throw error;
		}
	}
}

/** SQLite's extended result code; the primary one is its low byte. */
function resultCode(error: unknown): number | undefined {
	return error instanceof Error && "errcode" in error ? Number(error.errcode) : undefined;
}

/** SQLite's errors in our terms, and how many of them meant that the database was away. */
class Faults {
	count = 0;

	translate(error: unknown): unknown {
		const code = resultCode(error);
		if (code === undefined || !(error instanceof Error)) return error;
		if (code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARYKEY)
			return new UniqueViolation(error.message, { cause: error });
		if (!AWAY.has(code & 0xff)) return error;
		this.count += 1;
		return new AppError("service.unavailable", "the database is not available, try again shortly", {
			retryAfterSeconds: 1,
			cause: error,
		});
	}
}
