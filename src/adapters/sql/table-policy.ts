// What a restore does with the rows of a table: a backup cannot know what was used or revoked after it was written.

/** A statement that runs on the restored rows. */
export interface Repair {
	/** Describes the changed rows in the report to the operator. An empty text omits them. */
	readonly description: string;
	/** Without parameters; runs on the newest schema. */
	sql(nowMs: number): string;
}

export interface TablePolicy {
	/** `emptied`: no row is restored. `omitted`: no backup reads the table. */
	readonly rows: "kept" | "emptied" | "omitted";
	/** Describes the rows that are not restored in the report to the operator. Without a text, they are omitted. */
	readonly description?: string;
	readonly repairs?: readonly Repair[];
	/**
	 * Runs when the database failed over to a server that may lack the last writes: only for what can be used once and
	 * whose use and effect are separate transactions.
	 */
	readonly afterFailover?: readonly Repair[];
	/** Columns whose digests are restored unchanged, and why they grant no access. */
	readonly harmless?: Readonly<Record<string, string>>;
}

export const KEPT: TablePolicy = { rows: "kept" };
export const EMPTIED: TablePolicy = { rows: "emptied" };
export const OMITTED: TablePolicy = { rows: "omitted" };

/** `description` names the emptied rows in the report to the operator. */
export function emptied(description: string): TablePolicy {
	return { rows: "emptied", description };
}

/** Kept with digests that grant no access, each with the reason. */
export function keptWith(harmless: Readonly<Record<string, string>>): TablePolicy {
	return { rows: "kept", harmless };
}

export function repaired(...repairs: readonly Repair[]): TablePolicy {
	return { rows: "kept", repairs };
}
