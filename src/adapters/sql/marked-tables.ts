// Marks in migrations that each engine replaces with its own triggers and functions: for rows that never change, for
// counted rows, and for the audit trail.

/** A mark `{{keep <table>, update when <condition>, delete when <condition>}};`: without a condition, never. */
export interface KeptTable {
	readonly table: string;
	/** SQL over `OLD` and `NEW`, without subqueries. */
	readonly updateWhen: string | undefined;
	/** SQL over `OLD`. */
	readonly deleteWhen: string | undefined;
}

/**
 * A mark `{{never overwrite <table> by <columns>; <columns>}};`: an INSERT with an existing key is refused, even
 * `INSERT OR REPLACE`. Not for tables into which the service inserts with `ON CONFLICT` on a key that may exist.
 */
export interface OverwriteGuard {
	readonly table: string;
	/** The columns of each unique key. */
	readonly keys: readonly (readonly string[])[];
}

/** A mark `{{count <table> by <column>}};`: rows are counted by tenant and value of the column. */
export interface CountedTable {
	readonly table: string;
	readonly column: string;
}

/** What an engine replaces each mark with. */
export interface Marks {
	keep(kept: KeptTable): string;
	neverOverwrite(guard: OverwriteGuard): string;
	count(counted: CountedTable): string;
	/**
	 * The end `PRIMARY KEY (<key>)) {{by month of <column>}};` of a CREATE TABLE: a table for each month of that time, in
	 * milliseconds, on an engine that can drop one.
	 */
	monthly(key: string, column: string): string;
	/** `{{append audit_events}};`: a function that appends events in one statement (`postgres-trail.ts`). */
	readonly append: string;
}

const KEEP = /\{\{keep (\w+)(?:, update when (.+?))?(?:, delete when (.+?))?\}\};/g;
const NEVER_OVERWRITE = /\{\{never overwrite (\w+) by ([\w,; ]+)\}\};/g;
const MONTHLY = /PRIMARY KEY \(([\w, ]+)\)\n\) \{\{by month of (\w+)\}\};/g;
const COUNT = /\{\{count (\w+) by (\w+)\}\};/g;

export function replaceMarks(sql: string, { keep, neverOverwrite, count, monthly, append }: Marks): string {
	return sql
		.replaceAll(KEEP, (_mark, table: string, updateWhen?: string, deleteWhen?: string) =>
			keep({ table, updateWhen, deleteWhen }),
		)
		.replaceAll(NEVER_OVERWRITE, (_mark, table: string, keys: string) =>
			neverOverwrite({ table, keys: keys.split("; ").map((key) => key.split(", ")) }),
		)
		.replaceAll(COUNT, (_mark, table: string, column: string) => count({ table, column }))
		.replaceAll(MONTHLY, (_mark, key: string, column: string) => monthly(key, column))
		.replaceAll("{{append audit_events}};", () => append);
}

/** The error message of a refused change. */
export function keptMessage(table: string): string {
	return `rows of ${table} are kept as they are`;
}
