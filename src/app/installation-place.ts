// Describes to the operator where an installation is: the sources of its settings, its folder, its database.

import { parsePostgresUrl } from "../adapters/postgres/postgres-address.ts";
import type { Config } from "../config/config.ts";
import { StartError } from "../kernel/start-error.ts";
import { databaseFile } from "./database-place.ts";

export interface InstallationPlace {
	/** e.g. `/etc/latchkey/latchkey.env and the environment`. */
	readonly settings: string;
	/** Absolute path. */
	readonly dataDir: string;
	/** A path, or `db1:5432,db2:5432/latchkey`: never credentials. */
	readonly database: string;
}

/** @throws StartError for a database URL that cannot be used. */
export function describePlace(config: Config): InstallationPlace {
	const { file, environment } = config.source;
	const sources = [
		...(file === null ? [] : [file]),
		...(environment.length === 0 ? [] : ["the environment"]),
	];
	return {
		settings: sources.length === 0 ? "none given, defaults" : sources.join(" and "),
		dataDir: config.dataDir,
		database:
			config.databaseUrl === null
				? databaseFile(config)
				: `PostgreSQL ${parsePostgresUrl(config.databaseUrl).shown}`,
	};
}

/** The error of a command that needs an existing installation, with how to name another one. */
export function noInstallation(config: Config, advice = "yet; start the service once first"): StartError {
	const what =
		config.databaseUrl === null ? `${databaseFile(config)} does not exist` : "the database is empty";
	const elsewhere = config.source.namesPlace
		? ""
		: ", or name the installation with LATCHKEY_CONFIG, LATCHKEY_DATA_DIR or LATCHKEY_DATABASE_URL";
	return new StartError(`${what} ${advice}${elsewhere}`);
}
