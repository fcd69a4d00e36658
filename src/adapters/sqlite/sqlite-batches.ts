// The two queues of an embedded database: the reads and the writes of one event-loop turn.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SqlValue, Statement } from "../sql/queries.ts";
import { type Faults, isBusy } from "./sqlite-fault.ts";
import type { Ledger } from "./sqlite-ledger.ts";
import type { RowCache } from "./sqlite-row-cache.ts";
import type { Turn, Waiting } from "./sqlite-turn.ts";

/** How long a write waits for the write of another process, such as a command. */
export const BUSY_TIMEOUT_MS = 5_000;
const BUSY_RETRY_MS = 10;

interface Job {
	/** Runs inside the open batch; a rejection rolls back this job only. */
	run(): unknown;
	/** A single statement needs no savepoint: SQLite rolls back a failed statement itself. */
	readonly lone: boolean;
	resolve(value: unknown): void;
	reject(error: unknown): void;
}

interface Read extends Omit<Job, "lone"> {
	/** Statement and parameters, if its rows may be cached. */
	readonly cached: { readonly sql: Statement; readonly parameters: readonly SqlValue[] } | undefined;
}

/** Runs the reads of one turn in one transaction, because taking its lock costs as much as finding a row. */
export class ReadBatch implements Waiting {
	readonly #database: DatabaseSync;
	readonly #cache: RowCache;
	readonly #faults: Faults;
	readonly #turn: Turn;
	readonly #begin: StatementSync;
	readonly #commit: StatementSync;
	#queue: Read[] = [];

	constructor(database: DatabaseSync, cache: RowCache, faults: Faults, turn: Turn) {
		this.#database = database;
		this.#cache = cache;
		this.#faults = faults;
		this.#turn = turn;
		this.#begin = database.prepare("BEGIN");
		this.#commit = database.prepare("COMMIT");
	}

	get isWaiting(): boolean {
		return this.#queue.length > 0;
	}

	/** @param cached statement and parameters, if its rows may be cached. */
	add<T>(run: () => T, cached?: Read["cached"]): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#queue.push({ run, cached, resolve: resolve as (value: unknown) => void, reject });
			this.#turn.wake();
		});
	}

	flush(): void {
		const jobs = this.#queue;
		this.#queue = [];
		try {
			const uncached = this.#resolveCached(jobs);
			if (uncached.length > 1) this.#begin.run();
			for (const job of uncached) {
				try {
					job.resolve(this.#read(job));
				} catch (error) {
					job.reject(this.#faults.translate(error));
				}
			}
			// A failed read may have ended the transaction.
			if (this.#database.isTransaction) this.#commit.run();
		} catch (error) {
			const reason = this.#faults.translate(error);
			for (const job of jobs) job.reject(reason);
		}
	}

	/** @returns the jobs whose rows are not cached. */
	#resolveCached(jobs: readonly Read[]): readonly Read[] {
		if (!jobs.some(({ cached }) => cached !== undefined)) return jobs;
		this.#cache.dropAfterForeignCommit();
		return jobs.filter(({ cached, resolve }) => {
			const found = cached && this.#cache.find(cached.sql.text, cached.parameters);
			if (found !== undefined) resolve(found);
			return found === undefined;
		});
	}

	#read({ cached, run }: Read): unknown {
		const found = run();
		if (cached !== undefined) this.#cache.add(cached.sql, cached.parameters, found as readonly unknown[]);
		return found;
	}
}

/** The writes of one turn, in one transaction. */
export class WriteBatch implements Waiting {
	readonly #database: DatabaseSync;
	readonly #begin: StatementSync;
	readonly #commit: StatementSync;
	readonly #savepoint: StatementSync;
	readonly #release: StatementSync;
	readonly #undo: StatementSync;
	readonly #cache: RowCache;
	readonly #faults: Faults;
	readonly #turn: Turn;
	/** Set once the batch exists, which it uses. */
	ledger: Pick<Ledger, "count" | "mark" | "fail"> | undefined;
	#queue: Job[] = [];
	#flushing: Promise<void> | undefined;

	constructor(database: DatabaseSync, cache: RowCache, faults: Faults, turn: Turn) {
		this.#database = database;
		this.#cache = cache;
		this.#faults = faults;
		this.#turn = turn;
		// `#beginWrite` waits instead, because a wait inside SQLite would block the process.
		database.exec("PRAGMA busy_timeout = 0");
		this.#begin = database.prepare("BEGIN IMMEDIATE");
		this.#commit = database.prepare("COMMIT");
		this.#savepoint = database.prepare("SAVEPOINT job");
		this.#release = database.prepare("RELEASE job");
		this.#undo = database.prepare("ROLLBACK TO job");
	}

	/** False during a flush: jobs added then belong to the next one. */
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
			await this.#beginWrite();
			for (const job of jobs) {
				try {
					done.push({ job, value: await this.#runIn(jobs, job) });
				} catch (error) {
					// An I/O error or a full disk may have rolled back the whole batch.
					if (!this.#database.isTransaction) throw error;
					job.reject(this.#faults.translate(error));
					if (jobs.length > 1) continue;
					this.#database.exec("ROLLBACK");
					return;
				}
			}
			this.ledger?.count();
			this.#commit.run();
			this.ledger?.mark();
		} catch (error) {
			this.ledger?.fail(error);
			if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
			const reason = this.#faults.translate(error);
			for (const job of jobs) job.reject(reason);
			return;
		} finally {
			// In the same turn as the commit, so no read runs in between.
			this.#cache.dropIfWritten();
		}
		for (const { job, value } of done) job.resolve(value);
	}

	/** While it waits, reads continue and further writes queue for the next batch. */
	async #beginWrite(): Promise<void> {
		const deadline = performance.now() + BUSY_TIMEOUT_MS;
		for (;;) {
			try {
				this.#begin.run();
				return;
			} catch (error) {
				if (!isBusy(error) || performance.now() >= deadline) throw error;
				await new Promise((next) => setTimeout(next, BUSY_RETRY_MS));
			}
		}
	}

	/** A transaction alone in its batch needs no savepoint, for which SQLite would copy each page before its first change. */
	#runIn(jobs: readonly Job[], job: Job): unknown {
		return job.lone || jobs.length === 1 ? job.run() : this.#withSavepoint(job);
	}

	async #withSavepoint(job: Job): Promise<unknown> {
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
