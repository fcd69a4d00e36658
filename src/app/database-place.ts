// Which database an installation has, and how it is opened: the embedded one in the data folder, or the one a URL names.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../adapters/sql/engine.ts";
import { schemaVersion } from "../adapters/sql/migrate.ts";
import { openPostgres } from "../adapters/sql/postgres.ts";
import { openSqlite } from "../adapters/sql/sqlite.ts";
import type { Config } from "../config/config.ts";
import { randomToken } from "../crypto/random.ts";
import { AppError } from "../kernel/error.ts";
import { StartError } from "../kernel/start-error.ts";

type Place = Pick<Config, "dataDir" | "databaseUrl">;

/** The embedded database. */
export function databaseFile({ dataDir }: Pick<Config, "dataDir">): string {
	return join(dataDir, "latchkey.db");
}

/** Makes the embedded database where there is none. @throws StartError when it cannot be opened or reached. */
export async function openDatabase(config: Place): Promise<Engine> {
	if (config.databaseUrl !== null) return openPostgres(config.databaseUrl);
	try {
		return openSqlite(databaseFile(config));
	} catch (error) {
		throw unusable(config, error);
	}
}

export interface FillingPlace {
	/** Closes the database afterwards; a file that was made for it goes again when `work` fails. */
	use<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
}

/** A database that is to be made as a whole, for somebody who has the data folder's lock. @throws StartError */
export async function openForFilling(config: Place): Promise<FillingPlace> {
	const file = databaseFile(config);
	const isMade = config.databaseUrl === null && !existsSync(file);
	// A name of its own tells our connections from those of nodes that should not be there.
	const applicationName = `latchkey filling ${randomToken().slice(0, 8)}`;
	const engine =
		config.databaseUrl === null
			? await openDatabase(config)
			: await openPostgres(config.databaseUrl, { applicationName });
	return {
		async use(work) {
			let isDone = false;
			try {
				const value = await work(engine);
				isDone = true;
				return value;
			} finally {
				await engine.close();
				if (isMade && !isDone) for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
			}
		},
	};
}

/**
 * Whether nothing was ever put there; makes nothing.
 *
 * @throws StartError when a database that a URL names cannot be reached.
 */
export async function isEmptyDatabase(config: Place): Promise<boolean> {
	if (config.databaseUrl === null) return !existsSync(databaseFile(config));
	const engine = await openPostgres(config.databaseUrl);
	try {
		return (await schemaVersion(engine)) === 0;
	} catch (error) {
		throw unusable(config, error);
	} finally {
		await engine.close();
	}
}

/** The database's own complaint (damaged, read-only, no permission) in one line; a fault of ours stays as it is. */
export function unusable(config: Place, error: unknown): unknown {
	const cause = error instanceof AppError ? error.cause : error;
	if (!(cause instanceof Error) || !("errcode" in cause || "severity" in cause || error instanceof AppError))
		return error;
	const which = config.databaseUrl === null ? `database ${databaseFile(config)}` : "the database";
	return new StartError(`${which} cannot be used: ${cause.message}`, { cause });
}
