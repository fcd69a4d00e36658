// How a store runs statements.

export type SqlValue = string | number | null;

/**
 * Marks a statement that reads many rows. With `all` outside a transaction it runs beside the others: they do not wait for it,
 * and it sees what was committed before, but is no part of their snapshot.
 */
export const BESIDE = "{{beside}}";

/**
 * Ends a statement that decides about requests and finds few rows by keys. Outside a transaction an engine may answer with what
 * it found before, while no commit has written to a table of the statement. The rows are shared, so they are frozen.
 */
export const CACHEABLE = "{{cacheable}}";

/**
 * Stands for a table in FROM: `{{users named like $2}}`. Only rows with a name like that parameter, a pattern `%…%`, meet the
 * statement's own condition, so an engine may leave out others. Without an index over names it is the table.
 */
export const NAMED_LIKE = /\{\{(\w+) named like \$(\d+)\}\}/g;

/**
 * Runs SQL text with `$1`, `$2` … as parameters. `{{skip locked}}` after a SELECT of rows to be changed locks them
 * and skips those that are locked already. Text is compared byte by byte. Outside a transaction each call commits by itself,
 * and a `run` is durable when its promise resolves. Rows have the column names of the statement; integers are
 * JavaScript numbers, times are milliseconds since the epoch, flags are 0 or 1, lists are JSON text.
 */
export interface Queries {
	/** For a row found by an index: several at once may share a connection, and so wait for each other. */
	one<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row | undefined>;
	all<Row>(sql: string, ...parameters: SqlValue[]): Promise<Row[]>;
	/** @returns the number of rows changed, which tells whether a condition held. */
	run(sql: string, ...parameters: SqlValue[]): Promise<number>;
	/**
	 * Inside a transaction: waits until every transaction that has written to the table ends, and blocks new writes until
	 * this one ends. Does nothing on an engine with a single writer.
	 */
	awaitWriters(table: string): Promise<void>;
}
