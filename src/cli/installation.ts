// The installation that a command works on: its configuration, and how to open it.

import {
	describePlace,
	isDamage,
	isEmptyDatabase,
	noInstallation,
	unusable,
} from "../app/installation-place.ts";
import { type Installation, openBesideService } from "../app/open-installation.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import { AppError } from "../kernel/error.ts";
import { host } from "./host.ts";
import { printNote } from "./output.ts";

/**
 * Prints one line on standard error, so that a wrong environment is visible first.
 *
 * @throws StartError as `loadConfig`
 */
export function loadNamedConfig(): Config {
	const config = loadConfig(host().env);
	const { settings, dataDir, database } = describePlace(config);
	const given = settings === null ? "default settings" : `settings from ${settings}`;
	printNote(`installation: ${given}; data directory ${dataDir}; database ${database}`);
	return config;
}

/**
 * For commands that create a missing installation: requires that the settings specify its location, since the default
 * directory depends on the working directory.
 *
 * @throws StartError
 */
export async function requireLocation(config: Config): Promise<void> {
	if (config.source.isLocationSet || !(await isEmptyDatabase(config))) return;
	throw noInstallation(config, "and is created only in a configured location");
}

/** Closes the installation when `work` ends. @throws StartError as `openBesideService`, and what `work` throws. */
export async function withInstallation(
	work: (installation: Installation & { readonly clock: Clock; readonly publicUrl: string }) => Promise<void>,
): Promise<void> {
	const config = loadNamedConfig();
	const installation = await openBesideService(config, systemClock);
	try {
		await work({ ...installation, clock: systemClock, publicUrl: config.publicUrl });
	} catch (error) {
		throw error instanceof AppError && error.cause instanceof Error && isDamage(error.cause)
			? unusable(config, error)
			: error;
	} finally {
		await installation.close();
	}
}
