// What a store may ask of a database engine; every difference between engines is a named member here.

export type SqlValue = string | number | null;

/**
 * Runs SQL text with `$1`, `$2` … as parameters. `{{skip locked}}` after a SELECT of rows to be changed leaves out those
 * that somebody else is changing, and keeps others from taking these; text is compared byte by byte. Outside a transaction each call stands alone and a `run` is
 * durable when its promise resolves. Rows come back with the column names of the statement; integers are
 * JavaScript numbers, times are milliseconds since the epoch, flags are 0 or 1, lists are JSON text.
 */
export interface Queries {
	one<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row | undefined>;
	all<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row[]>;
	/** @returns how many rows were changed: the answer to "did my condition hold?" */
	run(sql: string, ...parameters: SqlValue[]): Promise<number>;
	/**
	 * Inside a transaction: resolves when every statement that was writing to the table is committed or undone, and
	 * keeps new ones waiting until this transaction ends, so that they see what it decided. Nothing to do for one writer.
	 */
	awaitWriters(table: string): Promise<void>;
}

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
	close(): Promise<void>;
}
