// `latchkey backup`: everything in the database in one file, beside a running service or without one.

import { resolve } from "node:path";
import { backUp } from "../app/backup.ts";
import { loadConfig } from "../config/load.ts";
import { systemClock } from "../kernel/clock.ts";
import { createCopyProgress } from "./copy-progress.ts";
import { listenForStop } from "./stop-signal.ts";

/** What is not in the file is said on standard error: with `-` the file is standard output. */
export async function backup(file: string): Promise<void> {
	const config = loadConfig(process.env);
	const target = file === "-" ? file : resolve(file);
	const stop = new AbortController();
	void listenForStop().given.then(() => stop.abort());
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
		`NOT in it: the master key (${keys.join(", ")}). Without it nobody can restore this backup; keep it in another place.`,
	);
	console.error("NOT in it either: settings, TLS certificates, mails that are files.");
}
