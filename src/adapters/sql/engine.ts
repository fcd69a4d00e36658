// The interface of a database engine; every difference between engines is a named member here.

import type { ProbedServer } from "../../domain/database-server.ts";
import type { Ownership } from "./ownership.ts";
import type { Queries, SqlValue, Statement } from "./queries.ts";
import type { WholeDatabase } from "./whole-database.ts";

export type { Queries, SqlValue };

/** The connections of a pool, the calls that wait for one, and the limit of open connections. */
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
 * @throws AppError `service.unavailable` when the database is unavailable, busy for too long, or out of space;
 * UniqueViolation when a unique index refuses a row.
 *
 * `Q` is the connection of a transaction.
 */
export interface Engine<Q extends Queries = Queries> {
	readonly name: "sqlite" | "postgres";
	/** At most one process serves from the database at a time, so it knows every claimed nonce. */
	readonly soleWriter: boolean;
	/** The calls since opening that failed with `service.unavailable`. */
	readonly failures: number;
	/** The reads since opening that were canceled at their time limit, with `query.too_slow`. */
	readonly slowQueries: number;
	/** Those of them that found an embedded database damaged. */
	readonly damaged: number;
	/**
	 * SQL for the `ServerIdentity` of the server that runs the statement. Undefined for an embedded database, and for a
	 * server that does not report it.
	 */
	readonly serverIdentity: string | undefined;
	/** Undefined for a server, which several processes share. */
	readonly ownership: Ownership | undefined;
	/** Asks every listed server. Empty for an embedded database. */
	probeServers(): Promise<readonly ProbedServer[]>;
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
	/** Rows of a table. A server with more than 100,000 rows returns its estimate, since counting them takes seconds. */
	countRows(table: string): Promise<number>;
	/**
	 * Runs `work` under a lock across all processes that use the database: the first start, migrations. The lock is
	 * released when its process ends, even if killed.
	 *
	 * @throws AppError `service.unavailable` when another process keeps it for longer than a minute.
	 */
	exclusively<T>(work: () => Promise<T>): Promise<T>;
	/**
	 * Builds the engine's index for searches by part of a name if it has one that is missing or incomplete. Works in small
	 * steps, so other reads and writes continue. Settles when the index is complete or the engine is closed.
	 */
	prepareSearches(): Promise<void>;
	/**
	 * Keeps the plans of these reads where connections do not: behind a pooler, in functions of the schema. Their parameters are
	 * texts, and they find nothing for null. Until it settles, and after it failed, they are planned at every call.
	 */
	keepPlans(statements: readonly Statement[]): Promise<void>;
	/** Creates what the audit events of this month and the next need, where each month has a table; an append does it otherwise. */
	prepareMonths(nowMs: number): Promise<void>;
	/** For backup, restore and copies. */
	readonly whole: WholeDatabase<Q>;
	close(): Promise<void>;
}
