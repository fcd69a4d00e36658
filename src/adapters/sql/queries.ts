// The interface through which stores run statements.

export type SqlValue = string | number | null;

/** How an engine may run a statement. */
export interface StatementOptions {
	/**
	 * For a `cached` statement whose only parameter is the `id` of a row of this table, and which reads no other row of it: a
	 * write to other rows of the table does not discard the row.
	 */
	readonly keyedBy?: string;
	/**
	 * Other tables of which a `cached` row depends on one row, by the column of the result that has its `id`: a write to other
	 * rows of them does not discard the row. Such a write searches all cached rows of the statement.
	 */
	readonly idsIn?: Readonly<Record<string, string>>;
	/**
	 * `cached`: for a statement that decides on requests and finds few rows by keys. Outside a transaction, an engine may
	 * return the rows of an earlier call while no commit has discarded them. Callers share these rows, so they are frozen.
	 *
	 * `separately`: for a statement that reads many rows. With `all` outside a transaction, it runs apart from other reads,
	 * which do not wait for it. It sees every earlier commit, but not the snapshot of those reads.
	 */
	readonly reads?: "cached" | "separately";
	/**
	 * Number of the parameter `%…%` that one of a user's names must match. The condition of the statement requires it too,
	 * and the statement reads `FROM users`: an engine with an index over names may leave out all other users.
	 */
	readonly userNamesLike?: number | undefined;
	/**
	 * Declares that this write changes no column that a `cached` statement reads. Any other write makes its commit discard
	 * all cached rows.
	 */
	readonly leavesCache?: true | undefined;
	/**
	 * Declares a write that returns rows. `all` runs it like `run`: it is not repeated when its connection was lost, because it may
	 * have been executed.
	 */
	readonly isWrite?: true | undefined;
}

/** A statement with options. Without options, use its text. */
export interface Statement extends StatementOptions {
	readonly text: string;
}

export type Sql = string | Statement;

/** `queries.all(statement("SELECT … WHERE tenant_id = $1", { reads: "separately" }), tenantId)` */
export function statement(text: string, options: StatementOptions): Statement {
	return { ...options, text };
}

export function textOf(sql: Sql): string {
	return typeof sql === "string" ? sql : sql.text;
}

/**
 * Runs a statement with `$1`, `$2` … as parameters. `FOR UPDATE` and its variants have no effect on an engine with a single
 * writer. Text is compared byte by byte. Outside a transaction each call commits by itself, and a `run` is durable when its
 * promise resolves. Rows have the column names of the statement; integers are JavaScript numbers, times are milliseconds
 * since the epoch, flags are 0 or 1, lists are JSON text.
 */
export interface Queries {
	/** For a row found by an index: concurrent calls may share a connection and then wait for each other. */
	one<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row | undefined>;
	all<Row>(sql: Sql, ...parameters: SqlValue[]): Promise<Row[]>;
	/** @returns the number of changed rows, which shows whether a condition held. */
	run(sql: Sql, ...parameters: SqlValue[]): Promise<number>;
}

/** The values of the only column, by `all`. */
export async function columnOf(
	queries: Pick<Queries, "all">,
	sql: Sql,
	...parameters: SqlValue[]
): Promise<string[]> {
	const rows = await queries.all<Record<string, string>>(sql, ...parameters);
	return rows.flatMap((row) => Object.values(row));
}
