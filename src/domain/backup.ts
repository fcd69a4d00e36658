// A backup: every table of an installation in one portable file.

/** The content of a cell: text, a whole number, or null. */
export type Cell = string | number | null;
export type Row = readonly Cell[];

/** A table by name, and the columns of its rows in order. */
export interface TableShape {
	readonly name: string;
	readonly columns: readonly string[];
}

/** A table of a database. Tables are listed parents first: no row precedes one that it refers to. */
export interface Table extends TableShape {
	/** The columns of the primary key; rows are read in its order, bytewise, identically on every engine. */
	readonly key: readonly string[];
}

/** The content of a table; the digest covers its shape and its rows in order (`write-backup.ts`). */
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
	/** ISO 8601: later changes are not in the file. */
	readonly created_at: string;
	/** Id of the master key that authenticates the file (`SecretBox.keyId`): the one in use when it was written. */
	readonly master_key: string;
}

/** The last line of a backup; without it, the file is incomplete. */
export interface BackupEnd {
	readonly tables: readonly TableCount[];
	/** Ids of the master keys that encrypt stored secrets. */
	readonly sealed_with: readonly string[];
	/**
	 * HMAC over the header and all of the above, under a key derived from the master key: a backup cannot be forged
	 * without it.
	 */
	readonly mac: string;
}

/** Every database has its own table of applied migrations. It is never copied. */
export const MIGRATIONS_TABLE = "schema_migrations";

/** Called repeatedly while a table is copied, and once when it is done. */
export type Progress = (table: string, rows: number, isDone: boolean) => void;

/** A file that cannot be restored; `message` continues after its name: `is damaged: …`. */
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

export interface LastBackup {
	/** When the backup was completed; without a backup, when the database was created. */
	readonly atMs: number;
	/** Size of the compressed file; undefined without a backup. */
	readonly bytes: number | undefined;
}

export interface BackupStore {
	record(backup: { readonly atMs: number; readonly bytes: number }): Promise<void>;
	findLast(): Promise<LastBackup>;
}
