// Loads the configuration of a command, and prints which installation it names.

import { isEmptyDatabase } from "../app/database-place.ts";
import { describePlace, noInstallation } from "../app/installation-place.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";

/** Prints one line on standard error, so that a wrong environment is visible first. @throws StartError as `loadConfig` */
export function loadNamedConfig(env: NodeJS.ProcessEnv): Config {
	const config = loadConfig(env);
	const { settings, dataDir, database } = describePlace(config);
	console.error(`installation: settings from ${settings}; data folder ${dataDir}; database ${database}`);
	return config;
}

/**
 * For commands that create a missing installation: requires that the settings name its place, since the default folder
 * depends on the working directory.
 *
 * @throws StartError
 */
export async function requirePlaceToMake(config: Config): Promise<void> {
	if (config.source.namesPlace || !(await isEmptyDatabase(config))) return;
	throw noInstallation(config, "and is made only in a place that is named");
}
