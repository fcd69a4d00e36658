// `latchkey migrate`: updates the schema, with the service stopped.

import { openInstallation } from "../app/open-installation.ts";
import { systemClock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { loadNamedConfig, requireLocation } from "./installation.ts";
import { printDone, printNote } from "./output.ts";

const print = (_fields: object, message: string): void => printNote(`latchkey: ${message}`);

/** Plain lines on standard error. */
const PLAIN_LOG: Log = { isDebug: false, debug: () => undefined, info: print, warn: print, error: print };

/** @throws StartError while a service uses the data directory. */
export async function migrate(): Promise<void> {
	const config = loadNamedConfig();
	await requireLocation(config);
	const installation = await openInstallation(config, { clock: systemClock, log: PLAIN_LOG });
	const { found, applied } = installation.schema;
	await installation.close();
	const schema = found + applied.length;
	printDone(
		{ schema, from: found, applied },
		applied.length === 0
			? `schema ${found} is up to date`
			: `schema ${found} → ${schema} (${applied.join(", ")})`,
	);
}
