// What a store may ask of a database engine; every difference between engines is a named member here.

export type SqlValue = string | number | null;

/**
 * Runs SQL text with `$1`, `$2` … as parameters. Outside a transaction each call stands alone and a `run` is
 * durable when its promise resolves. Rows come back with the column names of the statement; integers are
 * JavaScript numbers, times are milliseconds since the epoch, flags are 0 or 1, lists are JSON text.
 */
export interface Queries {
	one<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row | undefined>;
	all<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row[]>;
	/** @returns how many rows were changed: the answer to "did my condition hold?" */
	run(sql: string, ...parameters: SqlValue[]): Promise<number>;
}

/**
 * An open database. `queries` is for statements that stand alone. `transaction` runs `work` so that all its
 * statements commit together, or none; it settles after the commit is on disk.
 *
 * @throws AppError `service.unavailable` when the database is away, busy too long or out of space;
 * UniqueViolation when a unique index refuses a row.
 */
export interface Engine {
	readonly name: "sqlite";
	/** Calls that failed because the database was away, busy too long or out of space, since it was opened. */
	readonly failures: number;
	readonly queries: Queries;
	transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
	/** Runs several statements separated by `;` (migrations only). */
	script(queries: Queries, sql: string): Promise<void>;
	/** Turns the portable text of a migration into this engine's own: `{{clustered}}` marks a table kept in key order. */
	migrationText(sql: string): string;
	close(): Promise<void>;
}
