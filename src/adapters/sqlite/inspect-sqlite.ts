// Inspects an embedded database without changing it, even while a service uses it.

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { StartError } from "../../kernel/start-error.ts";
import { ACME_STATE, type AcmeState } from "../sql/acme-state.ts";
import { READ_SCHEMA_VERSION, requireReleased } from "../sql/schema-version.ts";
import { SEALED_COLUMNS, sampleOf } from "../sql/sealed-columns.ts";
import { FIND_UNBOUND_CLIENTS } from "../sql/unbound-codes.ts";

const BUSY_TIMEOUT_MS = 2_000;

/** A text that the master key must decrypt, and its associated data. */
export interface SealedSample {
	readonly sealed: string;
	readonly context: string;
}

export interface DatabaseFacts {
	/** 0 for an empty database. */
	readonly schema: number;
	/** Some texts of each kind of secret. */
	readonly sealed: readonly SealedSample[];
	/** See `FIND_UNBOUND_CLIENTS`. */
	readonly unboundClients: readonly string[];
	/** The time of the newest audit event; null in an empty database. */
	readonly newestAtMs: number | null;
}

/** @throws StartError when the file cannot be read as a database, or comes from a development version before 0.3.0. */
export function inspectSqlite(file: string): DatabaseFacts {
	let database: DatabaseSync | undefined;
	try {
		database = openReadOnly(file);
		const schema = readSchema(database);
		if (schema === 0) return { schema, sealed: [], unboundClients: [], newestAtMs: null };
		const unbound = database.prepare(FIND_UNBOUND_CLIENTS).all();
		return {
			schema,
			sealed: sample(database),
			unboundClients: unbound.map(({ application }) => String(application)),
			newestAtMs: newest(database),
		};
	} catch (cause) {
		if (!(cause instanceof Error) || !("errcode" in cause)) throw cause;
		throw new StartError(`database ${file} cannot be read: ${cause.message}`, { cause });
	} finally {
		if (database?.isOpen) database.close();
	}
}

/** Undefined without a row for this host, and in a database of an older schema. */
export function inspectSqliteAcme(file: string, domain: string): AcmeState | undefined {
	const database = openReadOnly(file);
	try {
		if (!hasColumn(database, "acme_certificates", "valid_to")) return undefined;
		return database.prepare(ACME_STATE).get({ $1: domain }) as AcmeState | undefined;
	} finally {
		database.close();
	}
}

/**
 * Read-only mode would leave `-wal` and `-shm` files beside a closed database, so it is opened as immutable unless a
 * `-wal` file shows that a process has it open.
 */
export function openReadOnly(file: string): DatabaseSync {
	const url = pathToFileURL(file);
	if (!existsSync(`${file}-wal`)) url.searchParams.set("immutable", "1");
	return new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}

function readSchema(database: DatabaseSync): number {
	const table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'";
	if (database.prepare(table).get() === undefined) return 0;
	const row = database.prepare(READ_SCHEMA_VERSION).get();
	return requireReleased({
		version: Number(row?.version ?? 0),
		first: row?.first === undefined || row.first === null ? null : String(row.first),
	});
}

function sample(database: DatabaseSync): SealedSample[] {
	return SEALED_COLUMNS.filter(({ table, column }) => hasColumn(database, table, column)).flatMap((column) =>
		database
			.prepare(sampleOf(column))
			.all()
			.map((row) => ({ sealed: String(row.sealed), context: column.contextOf(String(row.id)) })),
	);
}

/** An older schema has fewer. */
function hasColumn(database: DatabaseSync, table: string, column: string): boolean {
	const sql = "SELECT 1 FROM pragma_table_info(?) WHERE name = ?";
	return database.prepare(sql).get(table, column) !== undefined;
}

function newest(database: DatabaseSync): number | null {
	const row = database.prepare("SELECT max(at) AS at FROM audit_events").get();
	return typeof row?.at === "number" ? row.at : null;
}
