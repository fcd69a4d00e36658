// Append-only tables: a migration marks them, and each engine refuses forbidden changes in its own triggers.

/** A mark `{{keep <table>, update when <condition>, delete when <condition>}}`; without a condition never. */
export interface KeptTable {
	readonly table: string;
	/** SQL over `OLD` and `NEW`, without subqueries. */
	readonly updateWhen: string | undefined;
	/** SQL over `OLD`. */
	readonly deleteWhen: string | undefined;
}

const MARK = /\{\{keep (\w+)(?:, update when (.+?))?(?:, delete when (.+?))?\}\};/g;

/** Replaces each mark with the triggers of an engine. */
export function replaceKept(sql: string, toTriggers: (kept: KeptTable) => string): string {
	return sql.replaceAll(MARK, (_mark, table: string, updateWhen?: string, deleteWhen?: string) =>
		toTriggers({ table, updateWhen, deleteWhen }),
	);
}

/**
 * A mark `{{never overwrite <table> by <columns>; <columns>}}`: an INSERT with an existing key is refused, also
 * `INSERT OR REPLACE`. Not for tables into which the service inserts with `ON CONFLICT` on a key that may exist.
 */
export interface OverwriteGuard {
	readonly table: string;
	/** Columns of each unique key. */
	readonly keys: readonly (readonly string[])[];
}

const OVERWRITE_MARK = /\{\{never overwrite (\w+) by ([\w,; ]+)\}\};/g;

export function replaceOverwriteGuards(sql: string, toTriggers: (guard: OverwriteGuard) => string): string {
	return sql.replaceAll(OVERWRITE_MARK, (_mark, table: string, keys: string) =>
		toTriggers({ table, keys: keys.split("; ").map((key) => key.split(", ")) }),
	);
}

/** The error message of a refused change. */
export function keptMessage(table: string): string {
	return `rows of ${table} are kept as they are`;
}
