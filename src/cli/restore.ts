// `latchkey restore`: puts a backup in the place of an empty database, with the service stopped.

import { resolve } from "node:path";
import { type RestoreReport, restore as restoreBackup } from "../app/restore.ts";
import { loadConfig } from "../config/load.ts";
import { isoTime, systemClock } from "../kernel/clock.ts";
import { createCopyProgress } from "./copy-progress.ts";

export interface RestoreOptions {
	readonly replace?: boolean;
}

/** The report on standard output is for whoever has to tell others of it. */
export async function restore(file: string, { replace = false }: RestoreOptions): Promise<void> {
	const config = loadConfig(process.env);
	const report = await restoreBackup(config, {
		file: resolve(file),
		replace,
		clock: systemClock,
		...createCopyProgress(),
	});
	for (const line of describe(report)) console.log(line);
}

function describe({ header, end, closedUntilMs, told }: RestoreReport): string[] {
	const rows = end.tables.reduce((sum, table) => sum + table.rows, 0);
	return [
		`restored ${rows} rows in ${end.tables.length} tables as they were at ${header.created_at}`,
		`signed requests are refused until ${isoTime(closedUntilMs)}: none from before this restore is accepted again`,
		...told.map(([what, count]) => `${count} ${what}`),
		"not known to the backup: passwords, Secrets, roles, second factors and accounts changed after it are as they were",
		"then, revoked ones included. Change what was revoked since, and run latchkey audit verify.",
	];
}
