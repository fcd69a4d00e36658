// What a store may ask of a database engine; every difference between engines is a named member here.

import type { Queries, SqlValue } from "./queries.ts";
import type { WholeDatabase } from "./whole-database.ts";

export type { Queries, SqlValue };

/**
 * An open database. `queries` is for statements that stand alone. `transaction` runs `work` so that all its
 * statements commit together, or none; it settles after the commit is on disk. `work` may be run a second time, from
 * the beginning, when it lost a race: it must do nothing but ask its queries.
 *
 * @throws AppError `service.unavailable` when the database is away, busy too long or out of space;
 * UniqueViolation when a unique index refuses a row.
 */
export interface Engine {
	readonly name: "sqlite" | "postgres";
	/** Calls that failed because the database was away, busy too long or out of space, since it was opened. */
	readonly failures: number;
	readonly queries: Queries;
	transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
	/** Runs several statements separated by `;` (migrations only). */
	script(queries: Queries, sql: string): Promise<void>;
	/**
	 * Turns the portable text of a migration into this engine's own: `{{keep …}};` marks a table whose rows the database
	 * itself refuses to change or delete (`kept-tables.ts`), `{{count …}};` one whose rows it counts (`counted-tables.ts`).
	 */
	migrationText(sql: string): string;
	hasTable(name: string): Promise<boolean>;
	/**
	 * Runs `work` while no other process that uses the same database does so: the first start, migrations. The lock
	 * ends with the process that holds it, however that ends.
	 *
	 * @throws AppError `service.unavailable` when another process keeps it for longer than a minute.
	 */
	exclusively<T>(work: () => Promise<T>): Promise<T>;
	/** For backup, restore and copies. */
	readonly whole: WholeDatabase;
	close(): Promise<void>;
}
