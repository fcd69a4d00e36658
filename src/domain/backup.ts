// A backup: every table of an installation in one portable file.

// A backup: every table of an installation in one portable file, and what reading and writing one asks of a database.

/** What a cell holds: text, a whole number, or nothing. */
export type Cell = string | number | null;
export type Row = readonly Cell[];

/** A table by name, and the columns its rows are written in. */
export interface TableShape {
	readonly name: string;
	readonly columns: readonly string[];
}

/** A table of a real database. Tables are listed parents first: no row comes before the one it refers to. */
export interface Table extends TableShape {
	/** The columns of the primary key; rows are read in their order, byte by byte, the same on every engine. */
	readonly key: readonly string[];
}

/** What a table held: the digest is over its shape and its rows in order (`write-backup.ts`). */
export interface TableCount {
	readonly name: string;
	readonly rows: number;
	/** SHA-256, hex. */
	readonly sha256: string;
}

/** The first line of a backup. */
export interface BackupHeader {
	readonly format: "latchkey backup";
	readonly version: 1;
	/** The version that wrote it. */
	readonly latchkey: string;
	/** Number of the newest migration of the database. */
	readonly schema: number;
	readonly engine: string;
	/** ISO 8601: no change after it is in the file. */
	readonly created_at: string;
	/** Id of the master key that proves the file (`SecretBox.keyId`): the one that sealed new secrets at the time. */
	readonly master_key: string;
}

/** The last line of a backup; without it the file is not whole. */
export interface BackupEnd {
	readonly tables: readonly TableCount[];
	/** Ids of the master keys that stored secrets are sealed with. */
	readonly sealed_with: readonly string[];
	/**
	 * HMAC over the header and all of the above, under a key derived from the master key: a backup cannot be forged
	 * without it.
	 */
	readonly mac: string;
}

/** The table every database has of its own: which migrations made it. It is never copied. */
export const MIGRATIONS_TABLE = "schema_migrations";

/** Called now and then while a table is copied, and once more when it is done. */
export type Progress = (table: string, rows: number, isDone: boolean) => void;

/** A file that cannot be restored; `message` goes on from its name: `is damaged: …`. */
export class BackupError extends Error {
	override readonly name = "BackupError";
	/** `failed`: the backup is intact, but this version cannot restore it here and now. */
	readonly kind: "damaged" | "failed";

	constructor(message: string, options: ErrorOptions & { readonly kind?: "damaged" | "failed" } = {}) {
		const { kind = "damaged", ...others } = options;
		super(message, others);
		this.kind = kind;
	}
}
