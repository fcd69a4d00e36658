// `latchkey migrate`: updates the schema, or copies an embedded installation to PostgreSQL.

import { openInstallation } from "../app/open-installation.ts";
import type { Config } from "../config/config.ts";
import { SECOND_MS, systemClock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { StartError } from "../kernel/start-error.ts";
import { moveInstallation } from "../ops/copy/move.ts";
import { loadNamedConfig, requireLocation } from "./installation.ts";
import { printDone, printNote } from "./output.ts";
import { countRows, createCopyProgress, describeRows } from "./progress.ts";

const print = (_fields: object, message: string): void => printNote(`latchkey: ${message}`);

/** Plain lines on standard error. */
const PLAIN_LOG: Log = { isDebug: false, debug: () => undefined, info: print, warn: print, error: print };

interface MigrateOptions {
	/** `sqlite:<path>` */
	readonly from?: string;
	/** `postgres://…`. Default: `LATCHKEY_DATABASE_URL`. */
	readonly to?: string;
}

/** @throws StartError while a service uses the data directory. */
export async function migrate({ from, to }: MigrateOptions): Promise<void> {
	const config = loadNamedConfig();
	if (from !== undefined || to !== undefined) return move(config, from, to ?? config.databaseUrl);
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

async function move(config: Config, from: string | undefined, to: string | null): Promise<void> {
	if (from === undefined) throw new StartError("--to requires --from sqlite:<path>", { kind: "usage" });
	if (to === null)
		throw new StartError("--from requires --to postgres://… or LATCHKEY_DATABASE_URL", {
			kind: "usage",
		});
	const began = performance.now();
	const tables = await moveInstallation(config, { from, to, clock: systemClock, ...createCopyProgress() });
	const seconds = ((performance.now() - began) / SECOND_MS).toFixed(1);
	printDone(
		{ rows: countRows(tables), tables: tables.length, seconds: Number(seconds) },
		`copied ${describeRows(tables)} in ${seconds} s; counts and digests match`,
		"next: start the service with LATCHKEY_DATABASE_URL and the same master key; it no longer starts on the old directory,",
		"since two services of one installation would each accept what the other has already used",
	);
}
