// The doctor: checks everything that an installation needs, in the order of a start. Changes nothing.

import { checkIntegrity } from "../../adapters/sqlite/sqlite-integrity.ts";
import { databaseFile, hasDatabaseFile, refuseMovedInstallation } from "../../app/installation-place.ts";
import type { Config } from "../../config/config.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import type { Clock } from "../../kernel/clock.ts";
import { StartError } from "../../kernel/start-error.ts";
import { examineCertificate } from "./certificate.ts";
import { examineDatabase } from "./database.ts";
import { failing } from "./failing.ts";
import { examineBreachedPasswords, examineDataFolder, examineMachine } from "./machine.ts";
import { examinePorts } from "./ports.ts";
import { examinePublicUrl, examineServedCertificate } from "./public-url.ts";
import { examineMail, examineRedis } from "./servers.ts";

/**
 * Yields each check at once, since a large database or an unresponsive mail server takes seconds.
 *
 * @param load throws a StartError for invalid settings, which ends the checks.
 * @param beginIntegrity called before the integrity check, which reads an embedded database completely; the returned
 * function is called after it. Undefined skips the check.
 */
export async function* examine(
	load: () => Config,
	clock: Clock,
	beginIntegrity: ((file: string) => () => void) | undefined,
): AsyncGenerator<InstallationCheck> {
	let config: Config;
	try {
		config = load();
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		yield check("settings.invalid", { reason: error.message });
		return;
	}
	yield check("settings.valid");
	// Without an installation, there is nothing else to check.
	const absent = await failing("installation.unusable", () =>
		config.databaseUrl !== null || hasDatabaseFile(config)
			? []
			: check(config.source.isLocationSet ? "installation.missing" : "installation.unnamed", {
					file: databaseFile(config),
				}),
	);
	yield* absent;
	if (absent.length > 0) return;
	yield* await failing("installation.unusable", () => {
		refuseMovedInstallation(config);
		return [];
	});
	yield* examineMachine(config);
	yield* await examineDataFolder(config);
	const database = await examineDatabase(config, clock);
	yield* database;
	yield* await examineCertificate(config, clock());
	yield* await examineServedCertificate(config);
	yield* await examinePorts(config);
	yield* examinePublicUrl(config);
	yield* await examineRedis(config, clock);
	yield await examineMail(config);
	yield* await examineBreachedPasswords(config);
	// Last: it takes seconds per gigabyte, and nothing else depends on it.
	const isReadable =
		config.databaseUrl === null && database.every(({ code }) => code !== "database.unusable");
	if (beginIntegrity === undefined || !isReadable) return;
	const end = beginIntegrity(databaseFile(config));
	const integrity = await checkIntegrity(databaseFile(config), clock);
	end();
	yield integrity;
}
