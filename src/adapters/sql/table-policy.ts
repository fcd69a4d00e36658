// What a restore does with the rows of a table: a backup does not know what was used, ended or revoked after it.

/** A statement that runs on the restored rows. */
export interface Repair {
	/** What the changed rows are, for the report to the operator; empty: not reported. */
	readonly description: string;
	/** Without parameters; runs on the newest schema. */
	sql(nowMs: number): string;
}

export interface TablePolicy {
	/** `emptied`: no row is restored. */
	readonly rows: "kept" | "emptied";
	/** What the rows that are not restored were, for the report to the operator; absent: not reported. */
	readonly description?: string;
	readonly repairs?: readonly Repair[];
	/** Columns with digests that stay as they are, and why they open nothing. */
	readonly harmless?: Readonly<Record<string, string>>;
}

export const KEPT: TablePolicy = { rows: "kept" };
export const EMPTIED: TablePolicy = { rows: "emptied" };
