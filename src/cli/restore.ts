// `latchkey restore`: restores a backup into an empty database, with the service stopped.

import { resolve } from "node:path";
import { isoTime, systemClock } from "../kernel/clock.ts";
import { type RestoreReport, restore as restoreBackup } from "../ops/copy/restore.ts";
import { createCopyProgress } from "./copy-progress.ts";
import { loadNamedConfig, requirePlaceToMake } from "./named-config.ts";

export interface RestoreOptions {
	readonly replace?: boolean;
}

/** Prints a report for the operator to pass on. */
export async function restore(file: string, { replace = false }: RestoreOptions): Promise<void> {
	const config = loadNamedConfig(process.env);
	await requirePlaceToMake(config);
	const report = await restoreBackup(config, {
		file: resolve(file),
		replace,
		clock: systemClock,
		...createCopyProgress(),
	});
	for (const line of describe(report)) console.log(line);
}

function describe({ header, end, closedUntilMs, voided }: RestoreReport): string[] {
	const rows = end.tables.reduce((sum, table) => sum + table.rows, 0);
	return [
		`restored ${rows} rows in ${end.tables.length} tables as they were at ${header.created_at}`,
		`signed requests are refused until ${isoTime(closedUntilMs)}: none from before this restore is accepted again`,
		...voided.map(([description, count]) => `${count} ${description}`),
		"not known to the backup: passwords, Secrets, roles, second factors and accounts changed after it are as they were",
		"then, revoked ones included. Change what was revoked since, and run latchkey audit verify.",
	];
}
