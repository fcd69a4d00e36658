// The interface of a database engine; every difference between engines is a named member here.

import type { Queries, SqlValue } from "./queries.ts";
import type { WholeDatabase } from "./whole-database.ts";

export type { Queries, SqlValue };

/** The current number of connections, and of calls that wait for one. `limit`: the most that are opened. */
export interface PoolLoad {
	readonly busy: number;
	readonly idle: number;
	readonly waiting: number;
	readonly limit: number;
}

/**
 * An open database. `queries` is for statements that stand alone. `transaction` runs `work` so that all its
 * statements commit together, or none; it settles after the commit is on disk. `work` may run a second time after a
 * serialization failure: it must have no effect other than its queries.
 *
 * @throws AppError `service.unavailable` when the database is away, busy too long or out of space;
 * UniqueViolation when a unique index refuses a row.
 *
 * `Q` is the connection of a transaction.
 */
export interface Engine<Q extends Queries = Queries> {
	readonly name: "sqlite" | "postgres";
	/**
	 * One process at most serves from the database at a time, so what it remembers of the nonces it claimed is complete.
	 */
	readonly soleWriter: boolean;
	/** Calls that failed because the database was away, busy too long or out of space, since it was opened. */
	readonly failures: number;
	/** The connections to the server; undefined for an embedded database, which has none. */
	readonly pool: PoolLoad | undefined;
	readonly queries: Queries;
	transaction<T>(work: (queries: Q) => Promise<T>): Promise<T>;
	/** Runs several statements separated by `;` (migrations only). */
	script(queries: Q, sql: string): Promise<void>;
	/**
	 * Translates the portable text of a migration, including its marks (`marked-tables.ts`).
	 */
	migrationText(sql: string): string;
	hasTable(name: string): Promise<boolean>;
	/**
	 * Runs `work` under a lock across all processes that use the database: the first start, migrations. The lock is
	 * released when its process ends, even if killed.
	 *
	 * @throws AppError `service.unavailable` when another process keeps it for longer than a minute.
	 */
	exclusively<T>(work: () => Promise<T>): Promise<T>;
	/**
	 * Makes what searches by a part of a name need, where the engine keeps such an index and it is missing or unfinished: in
	 * small steps, between which others read and write. It settles when all is there, or the engine is closed.
	 */
	prepareSearches(): Promise<void>;
	/** For backup, restore and copies. */
	readonly whole: WholeDatabase<Q>;
	close(): Promise<void>;
}
