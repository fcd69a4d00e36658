// `latchkey import`: imports users from another system, with the service running or stopped.

import { closeSync, createReadStream, openSync, readFileSync, writeSync } from "node:fs";
import { systemClock } from "../kernel/clock.ts";
import { fileError, usageError } from "../kernel/start-error.ts";
import { type ImportCounts, importUserLines } from "../ops/import/import-user-lines.ts";
import type { RefusedLine } from "../ops/import/parse-user.ts";
import { FORMAT_NAMES } from "../ops/import/source-format.ts";
import { setExitStatus } from "./exit-status.ts";
import { host, hostConsole } from "./host.ts";
import { withInstallation } from "./installation.ts";
import { printDone, printResult } from "./output.ts";
import { printEverySecond } from "./progress.ts";

interface ImportOptions {
	/** Slug. */
	readonly tenant: string;
	/** A file for the refused lines, as JSON Lines. Default: text on standard error. */
	readonly report?: string;
	readonly dryRun?: true;
	readonly format?: string;
	/** A file with the password hash parameters of a Firebase project. */
	readonly hashConfig?: string;
}

/**
 * Prints the counts. Exit status `failed` when a line was refused. Neither the report nor a message holds a password
 * hash.
 */
export async function importUsers(file: string, options: ImportOptions): Promise<void> {
	const { tenant, report, dryRun = false } = options;
	const format = parseFormat(options.format);
	const hashConfig = options.hashConfig === undefined ? undefined : readText(options.hashConfig);
	await withInstallation(async ({ db, clock }) => {
		const onProgress = printEverySecond(
			(counts: ImportCounts) => `${counts.lines} lines: ${describe(counts)}`,
			systemClock(),
		);
		using refusals = openReport(report);
		const counts = await importUserLines(
			{ db, clock, dryRun, format, hashConfig, onRefused: refusals.write, onProgress },
			tenant,
			readFile(file),
		);
		if (dryRun) printResult({ dry_run: true, ...counts }, `dry run, nothing written: ${describe(counts)}`);
		else printDone(counts, describe(counts));
		if (counts.refused > 0) setExitStatus("failed");
	});
}

function parseFormat(value: string | undefined) {
	const known = FORMAT_NAMES.find((each) => each === value);
	if (known !== undefined || value === undefined) return known;
	throw usageError(`--format ${value} must be one of ${FORMAT_NAMES.join(", ")}`);
}

async function* readFile(file: string): AsyncGenerator<Buffer> {
	try {
		yield* file === "-" ? host().stdin : createReadStream(file);
	} catch (cause) {
		throw fileError(`${file} cannot be read`, cause);
	}
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (cause) {
		throw fileError(`--hash-config ${path} cannot be read`, cause);
	}
}

function openReport(path: string | undefined): Disposable & { write(refused: RefusedLine): void } {
	if (path === undefined)
		return {
			write: ({ line, errors }) =>
				hostConsole().error(
					`line ${line}: ${errors.map(({ field, message }) => `${field || "it"} ${message}`).join("; ")}`,
				),
			[Symbol.dispose]: () => undefined,
		};
	try {
		const file = openSync(path, "w", 0o600);
		return {
			write: (refused) => void writeSync(file, `${JSON.stringify(refused)}\n`),
			[Symbol.dispose]: () => closeSync(file),
		};
	} catch (cause) {
		throw fileError(`--report ${path} cannot be written`, cause);
	}
}

function describe({ format, imported, present, refused }: ImportCounts): string {
	return `${format === "latchkey" ? "" : `format ${format}: `}${imported} imported, ${present} already present, ${refused} refused`;
}
