// `latchkey move`: copies an embedded installation to PostgreSQL, with the service stopped.

import { SECOND_MS, systemClock } from "../kernel/clock.ts";
import { usageError } from "../kernel/start-error.ts";
import { moveInstallation } from "../ops/copy/move.ts";
import { loadNamedConfig } from "./installation.ts";
import { printDone } from "./output.ts";
import { countRows, createCopyProgress, describeRows } from "./progress.ts";

interface MoveOptions {
	/** `sqlite:<path>` */
	readonly from: string;
	/** `postgres://…`. Default: `LATCHKEY_DATABASE_URL`. */
	readonly to?: string;
}

/** @throws StartError while a service uses the data directory. */
export async function move({ from, to: target }: MoveOptions): Promise<void> {
	const config = loadNamedConfig();
	const to = target ?? config.databaseUrl;
	if (to === null) throw usageError("use --to postgres://… or set LATCHKEY_DATABASE_URL");
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
