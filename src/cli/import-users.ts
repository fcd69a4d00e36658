// `latchkey users import`: imports users from another system, beside a running service or without one.

import { closeSync, createReadStream, openSync, writeSync } from "node:fs";
import { systemClock } from "../kernel/clock.ts";
import { fileError } from "../kernel/start-error.ts";
import { type ImportCounts, importUserLines, type RefusedLine } from "../ops/import/import-user-lines.ts";
import { setExitStatus } from "./exit-status.ts";
import { withInstallation } from "./installation.ts";
import { printDone } from "./output.ts";
import { printEverySecond } from "./progress.ts";

interface ImportOptions {
	/** Slug. */
	readonly tenant: string;
	/** A file for the refused lines, as JSON Lines. Default: text on standard error. */
	readonly report?: string;
}

/**
 * Prints the counts. Exit status `failed` when a line was refused. Neither the report nor a message holds a password hash.
 */
export async function usersImport(file: string, { tenant, report }: ImportOptions): Promise<void> {
	await withInstallation(async ({ db, clock }) => {
		const onProgress = printEverySecond(
			(counts: ImportCounts) => `${counts.lines} lines: ${describe(counts)}`,
			systemClock(),
		);
		using refusals = openReport(report);
		const counts = await importUserLines(
			{ db, clock, onRefused: refusals.write, onProgress },
			tenant,
			readFile(file),
		);
		printDone(counts, describe(counts));
		if (counts.refused > 0) setExitStatus("failed");
	});
}

async function* readFile(file: string): AsyncGenerator<Buffer> {
	try {
		yield* file === "-" ? process.stdin : createReadStream(file);
	} catch (cause) {
		throw fileError(`${file} cannot be read`, cause);
	}
}

function openReport(path: string | undefined): Disposable & { write(refused: RefusedLine): void } {
	if (path === undefined)
		return {
			write: ({ line, errors }) =>
				console.error(
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

function describe({ imported, present, refused }: ImportCounts): string {
	return `${imported} imported, ${present} there already, ${refused} refused`;
}
