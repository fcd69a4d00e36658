// `latchkey backup`: writes the database to one file, beside a running service or without one.

import { resolve } from "node:path";
import { systemClock } from "../kernel/clock.ts";
import { backUp } from "../ops/copy/backup.ts";
import { createCopyProgress } from "./copy-progress.ts";
import { loadNamedConfig } from "./named-config.ts";
import { listenForStop } from "./stop-signal.ts";

/** Messages go to standard error: with `-` the backup goes to standard output. */
export async function backup(file: string): Promise<void> {
	const config = loadNamedConfig(process.env);
	const target = file === "-" ? file : resolve(file);
	const stop = new AbortController();
	void listenForStop().received.then(() => stop.abort());
	const { header, end } = await backUp(config, {
		target,
		signal: stop.signal,
		clock: systemClock,
		...createCopyProgress(),
	});
	const rows = end.tables.reduce((sum, table) => sum + table.rows, 0);
	const keys = [...new Set([header.master_key, ...end.sealed_with])];
	console.error(
		`backed up ${rows} rows in ${end.tables.length} tables as of ${header.created_at} (schema ${header.schema}, ${header.engine})`,
	);
	console.error(
		`NOT in it: the master key (${keys.join(", ")}). Without it this backup cannot be restored; keep it in another place.`,
	);
	console.error("NOT in it either: settings, TLS certificates, mails that are files.");
}
