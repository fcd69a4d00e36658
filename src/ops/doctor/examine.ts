// The doctor: checks everything that an installation needs, in the order of a start. Changes nothing.

import { hasDatabaseFile, noInstallation, refuseMovedInstallation } from "../../app/installation-place.ts";
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../kernel/clock.ts";
import { examineCertificate } from "./certificate.ts";
import { examineDatabase } from "./database.ts";
import { type Finding, fail, failing } from "./finding.ts";
import { examineDataFolder, examineMachine } from "./machine.ts";
import { examinePorts } from "./ports.ts";
import { examineMail, examineRedis } from "./servers.ts";

/** Yields each finding at once, since a large database or an unresponsive mail server takes seconds. */
export async function* examine(config: Config, clock: Clock): AsyncGenerator<Finding> {
	// Without an installation, there is nothing else to check.
	const absent = await failing("installation", () =>
		config.databaseUrl !== null || hasDatabaseFile(config)
			? []
			: fail("installation", noInstallation(config).message),
	);
	yield* absent;
	if (absent.length > 0) return;
	yield* await failing("installation", () => {
		refuseMovedInstallation(config);
		return [];
	});
	yield* examineMachine(config);
	yield* await examineDataFolder(config);
	yield* await examineDatabase(config, clock());
	yield* await examineCertificate(config, clock());
	yield* await examinePorts(config);
	yield await examineRedis(config);
	yield await examineMail(config);
}
