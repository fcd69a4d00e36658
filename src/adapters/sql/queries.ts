// What a statement may be asked with and give: the part of an engine that stores work with.

export type SqlValue = string | number | null;

/**
 * Runs SQL text with `$1`, `$2` … as parameters. `{{skip locked}}` after a SELECT of rows to be changed leaves out those
 * that somebody else is changing, and keeps others from taking these; text is compared byte by byte. Outside a transaction each call stands alone and a `run` is
 * durable when its promise resolves. Rows come back with the column names of the statement; integers are
 * JavaScript numbers, times are milliseconds since the epoch, flags are 0 or 1, lists are JSON text.
 */
export interface Queries {
	/** For a row found by an index: several asked at once may share a connection, and so wait for each other. */
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
