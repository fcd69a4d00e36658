// Where an installation is: its settings, its folder, and its database, embedded or at a PostgreSQL URL.

import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { MASTER_KEY_FILE } from "../adapters/files/master-key.ts";
import { refuseMoved } from "../adapters/files/moved-mark.ts";
import { SCHEMA_VERSION, schemaVersion } from "../adapters/migrations/migrate.ts";
import type * as PostgresModule from "../adapters/postgres/postgres.ts";
import { parsePostgresUrl } from "../adapters/postgres/postgres-address.ts";
import type { Engine } from "../adapters/sql/engine.ts";
import { markOf, removeMark } from "../adapters/sqlite/database-mark.ts";
import { openSqlite } from "../adapters/sqlite/sqlite.ts";
import type { Config } from "../config/config.ts";
import { randomToken } from "../crypto/random.ts";
import { AppError } from "../kernel/error.ts";
import { StartError, systemCode } from "../kernel/start-error.ts";

/**
 * For people: the sources of the settings, such as `/etc/latchkey/latchkey.env and the environment`, or null for defaults only; the absolute path
 * of the data directory; and the database, a path or `db1:5432,db2:5432/latchkey`, never with credentials.
 *
 * @throws StartError for a database URL that cannot be used.
 */
export function describePlace(config: Config) {
	const { file, environment } = config.source;
	const sources = [
		...(file === null ? [] : [file]),
		...(environment.length === 0 ? [] : ["the environment"]),
	];
	return {
		settings: sources.length === 0 ? null : sources.join(" and "),
		dataDir: config.dataDir,
		database:
			config.databaseUrl === null
				? databaseFile(config)
				: `PostgreSQL ${parsePostgresUrl(config.databaseUrl).shown}`,
	};
}

/** The error of a command that needs an existing installation. It says how to name another installation. */
export function noInstallation(config: Config, advice = "yet; start the service once first"): StartError {
	const what =
		config.databaseUrl === null ? `${databaseFile(config)} does not exist` : "the database is empty";
	const elsewhere = config.source.isLocationSet
		? ""
		: ", or name the installation with LATCHKEY_CONFIG, LATCHKEY_DATA_DIR or LATCHKEY_DATABASE_URL";
	return new StartError(`${what} ${advice}${elsewhere}`, { kind: "not_found" });
}

type Place = Pick<Config, "dataDir" | "databaseUrl">;

/** Path of the embedded database. */
export function databaseFile({ dataDir }: Pick<Config, "dataDir">): string {
	return join(dataDir, "latchkey.db");
}

/** An empty file is no database. @throws StartError when this user may not read the data directory, so the result is unknown. */
export function hasDatabaseFile(config: Pick<Config, "dataDir">): boolean {
	const file = databaseFile(config);
	try {
		return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
	} catch (cause) {
		throw new StartError(`${file} cannot be read (${systemCode(cause)}); run this as the service's user`, {
			cause,
		});
	}
}

/**
 * Creates the embedded database when it is missing.
 *
 * @param onWait see `openPostgres`.
 * @throws StartError when it cannot be opened or reached.
 */
export async function openDatabase(config: Place, onWait?: (message: string) => void): Promise<Engine> {
	if (config.databaseUrl !== null) return await openPostgres(config.databaseUrl, { onWait });
	try {
		return openSqlite(databaseFile(config));
	} catch (error) {
		throw unusable(config, error);
	}
}

/**
 * Opens the database for `work`, and closes it afterwards.
 *
 * @throws StartError as `openDatabase`, and for what the database refuses meanwhile; what `work` throws.
 */
export async function withDatabase<T>(
	config: Place,
	work: (engine: Engine) => Promise<T>,
	onWait?: (message: string) => void,
): Promise<T> {
	const engine = await openDatabase(config, onWait);
	try {
		return await work(engine);
	} catch (error) {
		throw unusable(config, error);
	} finally {
		await engine.close();
	}
}

/** Loads the driver only where a PostgreSQL URL is set: importing it takes 10 MB. */
async function openPostgres(...parameters: Parameters<typeof PostgresModule.openPostgres>): Promise<Engine> {
	const postgres = await import("../adapters/postgres/postgres.ts");
	return await postgres.openPostgres(...parameters);
}

/**
 * Opens a database to fill it in one transaction, and closes it afterwards. When `fill` fails, a file that was created
 * for it is removed. The caller holds the lock of the data directory.
 *
 * @throws StartError when the database cannot be opened or used, and what `fill` throws.
 */
export async function openForFilling<T>(config: Place, fill: (engine: Engine) => Promise<T>): Promise<T> {
	const file = databaseFile(config);
	const isNew = config.databaseUrl === null && !existsSync(file);
	// A unique name separates these connections from those of nodes that should not be running.
	const applicationName = `latchkey filling ${randomToken().slice(0, 8)}`;
	const engine =
		config.databaseUrl === null
			? await openDatabase(config)
			: await openPostgres(config.databaseUrl, { applicationName });
	let isFilled = false;
	try {
		const value = await fill(engine);
		isFilled = true;
		if (config.databaseUrl === null) removeMark(file);
		return value;
	} catch (error) {
		throw unusable(config, error);
	} finally {
		await engine.close();
		if (isNew && !isFilled) for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
	}
}

/** @throws StartError when the embedded database is configured, but was copied to PostgreSQL. */
export function refuseMovedInstallation(config: Place): void {
	if (config.databaseUrl === null) refuseMoved(databaseFile(config));
}

/**
 * Whether the database was never filled. Creates nothing.
 *
 * @throws StartError when PostgreSQL cannot be reached.
 */
export async function isEmptyDatabase(config: Place, onWait?: (message: string) => void): Promise<boolean> {
	if (config.databaseUrl === null) return !hasDatabaseFile(config);
	return await withDatabase(config, async (engine) => (await schemaVersion(engine)) === 0, onWait);
}

/**
 * Refuses to create an embedded database where one was: a volume that is not mounted, or a file that was deleted, must not become a new
 * installation.
 *
 * @param isNew the operator asks for a new database.
 * @throws StartError that names the missing file and the one beside it.
 */
export function refuseMissingDatabase(config: Place, isNew: boolean): void {
	if (config.databaseUrl !== null) return;
	const file = databaseFile(config);
	if (hasDatabaseFile(config)) {
		if (isNew) throw new StartError(`${file} exists: start without --new`, { kind: "refused" });
		return;
	}
	const left = [join(config.dataDir, MASTER_KEY_FILE), markOf(file)].find((path) => existsSync(path));
	if (left === undefined || isNew) return;
	throw new StartError(
		`${file} is missing or empty, but ${left} exists: mount the volume, or restore a backup; latchkey serve --new creates a new database`,
		{ kind: "refused" },
	);
}

/** @param subject begins the message, e.g. `the database`. @throws StartError for a schema of a newer version. */
export function refuseNewerSchema(subject: string, schema: number): void {
	if (schema <= SCHEMA_VERSION) return;
	throw new StartError(
		`${subject} has schema ${schema}, this version of latchkey supports up to ${SCHEMA_VERSION}; use the newer version`,
	);
}

/**
 * A StartError for an error of the database (damaged, read-only, no permission); other errors are returned unchanged.
 */
export function unusable(config: Place, error: unknown): unknown {
	const cause = error instanceof AppError ? error.cause : error;
	if (!(cause instanceof Error) || !("errcode" in cause || "severity" in cause || error instanceof AppError))
		return error;
	const name = config.databaseUrl === null ? `database ${databaseFile(config)}` : "the database";
	return new StartError(`${name} cannot be used: ${cause.message}`, {
		cause,
		kind: isDamage(cause) ? "damaged" : "away",
	});
}

/** SQLITE_CORRUPT and SQLITE_NOTADB; class XX of PostgreSQL: data or index corrupted. */
export function isDamage(cause: object): boolean {
	if ("errcode" in cause) return [11, 26].includes(Number(cause.errcode) & 0xff);
	return "code" in cause && /^XX00[12]$/.test(String(cause.code));
}
