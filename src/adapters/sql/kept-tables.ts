// Tables whose rows are there to stay: a migration marks them, and each engine refuses what is not allowed in triggers of its own.

/** A mark `{{keep <table>, update when <condition>, delete when <condition>}}`; without a condition it is never allowed. */
export interface KeptTable {
	readonly table: string;
	/** SQL over `OLD` and `NEW`, without subqueries. */
	readonly updateWhen: string | undefined;
	/** SQL over `OLD`. */
	readonly deleteWhen: string | undefined;
}

const MARK = /\{\{keep (\w+)(?:, update when (.+?))?(?:, delete when (.+?))?\}\};/g;

/** Puts an engine's own triggers in the place of every mark. */
export function replaceKept(sql: string, toTriggers: (kept: KeptTable) => string): string {
	return sql.replaceAll(MARK, (_mark, table: string, updateWhen?: string, deleteWhen?: string) =>
		toTriggers({ table, updateWhen, deleteWhen }),
	);
}

/** What the database says when it refuses. */
export function keptMessage(table: string): string {
	return `rows of ${table} are kept as they are`;
}
