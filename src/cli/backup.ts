// `latchkey backup` writes the database to one file, with the service running or stopped; `latchkey restore` reads
// it into an empty database, with the service stopped, or proves it in a temporary one.

import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Config } from "../config/config.ts";
import { isoTime, systemClock } from "../kernel/clock.ts";
import { fileError } from "../kernel/start-error.ts";
import { backUp } from "../ops/copy/backup.ts";
import { type CheckOptions, checkBackup } from "../ops/copy/check-backup.ts";
import { type RestoreReport, restore as restoreBackup } from "../ops/copy/restore.ts";
import { createAuditProgress, describeTrail, trailJson } from "./audit.ts";
import { EXIT_STATUS, setExitStatus } from "./exit-status.ts";
import { host } from "./host.ts";
import { loadNamedConfig, requireLocation } from "./installation.ts";
import { printAdvice, printDone, printNote, printResult } from "./output.ts";
import { listenForStop } from "./process-events.ts";
import { countRows, createCopyProgress, describeRows } from "./progress.ts";

/** Messages go to standard error: with `-` the backup goes to standard output. */
export async function backup(file: string): Promise<void> {
	const config = loadNamedConfig();
	const target = file === "-" ? file : resolve(file);
	const stop = new AbortController();
	void listenForStop().received.then(() => stop.abort());
	const { header, end, unrecorded } = await backUp(config, {
		target,
		signal: stop.signal,
		clock: systemClock,
		...createCopyProgress(),
	});
	const keys = [...new Set([header.master_key, ...end.sealed_with])];
	printNote(
		`backed up ${describeRows(end.tables)} as of ${header.created_at} (schema ${header.schema}, ${header.engine})`,
	);
	printNote(
		`NOT included: the master key (${keys.join(", ")}). Without it this backup cannot be restored. Store it elsewhere.`,
	);
	printNote("Also NOT included: settings, TLS certificates, and mails written as files.");
	if (target !== "-")
		printAdvice(
			`To check it, run latchkey restore --check ${target}; to restore it here, stop the service and run latchkey restore --replace ${target}.`,
		);
	if (unrecorded !== undefined) printNote(`The metrics do not show this backup: ${unrecorded}`);
}

interface RestoreOptions {
	readonly replace?: boolean;
	readonly check?: boolean;
}

/** Prints a report for the operator to pass on. */
export async function restore(
	file: string,
	{ replace = false, check = false }: RestoreOptions,
): Promise<void> {
	const config = loadNamedConfig();
	if (check) return await checkFile(config, file);
	await requireLocation(config);
	await using source = file === "-" ? await spoolInput(removalsOnStop()) : namedFile(resolve(file));
	const report = await restoreBackup(config, {
		...source,
		replace,
		clock: systemClock,
		...createCopyProgress(),
	});
	const { header, end, closedUntilMs, voided } = report;
	const json = {
		created_at: header.created_at,
		rows: countRows(end.tables),
		tables: end.tables.length,
		signed_requests_refused_until: isoTime(closedUntilMs),
		voided: Object.fromEntries(voided),
	};
	printDone(json, ...describe(report));
}

/** Exit status `damaged` when rows are missing or a trail is broken. */
async function checkFile(config: Config, file: string): Promise<void> {
	const onFolder = removalsOnStop();
	await using source = file === "-" ? await spoolInput(onFolder) : namedFile(resolve(file));
	const report = await checkBackup(config, {
		...source,
		clock: systemClock,
		...createCopyProgress(),
		onFolder,
		onAudit: createAuditProgress(),
	});
	const { header, end, short, trails } = report;
	const isWhole = short.length === 0 && trails.every(({ broken }) => broken === undefined);
	const json = {
		ok: isWhole,
		created_at: header.created_at,
		schema: header.schema,
		engine: header.engine,
		rows: countRows(end.tables),
		tables: end.tables.length,
		short,
		trails: trails.map(trailJson),
	};
	printResult(
		json,
		`restored ${describeRows(end.tables)} of ${header.created_at} into a temporary database`,
		...short.map(({ table, rows, expected }) => `${table}: MISSING ROWS, ${rows} of ${expected}`),
		...trails.map(describeTrail),
		isWhole ? "the backup can be restored" : "the backup is DAMAGED",
	);
	if (!isWhole) setExitStatus("damaged");
}

interface Source extends AsyncDisposable {
	readonly file: string;
	readonly name: string;
}

function namedFile(file: string): Source {
	return { file, name: file, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** A restore reads its file twice: standard input goes to a file that only its owner can read and that is removed. */
async function spoolInput(onFolder: OnFolder): Promise<Source> {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-restore-"));
	const remove = (): void => rmSync(folder, { recursive: true, force: true });
	onFolder(remove);
	const file = join(folder, "backup");
	try {
		await pipeline(host().stdin, createWriteStream(file, { mode: 0o600 }));
	} catch (cause) {
		remove();
		throw fileError("standard input cannot be copied to the temporary directory", cause);
	}
	return { file, name: "standard input", [Symbol.asyncDispose]: () => Promise.resolve(remove()) };
}

type OnFolder = CheckOptions["onFolder"];

/** A stop signal removes every directory that was passed, and only then ends the process. */
function removalsOnStop(): OnFolder {
	const removals: (() => void)[] = [];
	void listenForStop().received.then(() => {
		for (const remove of removals) remove();
		process.exit(EXIT_STATUS.failed);
	});
	return (remove) => removals.push(remove);
}

function describe({ header, end, closedUntilMs, voided }: RestoreReport): string[] {
	return [
		`restored ${describeRows(end.tables)} as they were at ${header.created_at}`,
		`signed requests are refused until ${isoTime(closedUntilMs)}, so that none from before this restore is accepted again`,
		...voided.map(([description, count]) => `${count} ${description}`),
		"changes to passwords, Secrets, roles, second factors, and accounts after the backup are lost: anything revoked since",
		"then is valid again. Revoke it again, and run latchkey audit verify.",
	];
}
