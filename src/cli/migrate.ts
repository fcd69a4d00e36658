// `latchkey migrate`: brings the schema up to date and starts nothing.

import { openInstallation } from "../app/open-installation.ts";
import { loadConfig } from "../config/load.ts";
import { systemClock } from "../kernel/clock.ts";
import { plainLog } from "./plain-log.ts";

/** Needs the data folder for itself: a running service is refused. */
export async function migrate(): Promise<void> {
	const config = loadConfig(process.env);
	const installation = await openInstallation(config, { clock: systemClock, log: plainLog });
	const { found, applied } = installation.schema;
	await installation.close();
	const what =
		applied.length === 0
			? `schema ${found} is up to date`
			: `schema ${found} → ${found + applied.length} (${applied.join(", ")})`;
	console.log(what);
}
