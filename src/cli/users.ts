// `latchkey users import`: people from another system, also beside a running service.

import { closeSync, createReadStream, openSync, writeSync } from "node:fs";
import { type ImportCounts, importUserLines, type RefusedLine } from "../app/import-users.ts";
import { openBesideService } from "../app/open-installation.ts";
import { loadConfig } from "../config/load.ts";
import { SECOND_MS, systemClock } from "../kernel/clock.ts";
import { StartError, systemCode } from "../kernel/start-error.ts";

export interface ImportOptions {
	/** Slug. */
	readonly tenant: string;
	/** Where refused lines go, as JSON Lines; standard error unless told. */
	readonly report?: string;
}

/**
 * The last line on standard output counts; exit status 1 when a line was refused. Neither the report nor a message holds
 * a password hash.
 */
export async function usersImport(file: string, { tenant, report }: ImportOptions): Promise<void> {
	const installation = await openBesideService(loadConfig(process.env), { clock: systemClock });
	try {
		using refusals = openReport(report);
		const counts = await importUserLines(
			{ db: installation.db, clock: systemClock, onRefused: refusals.write, onProgress: createProgress() },
			tenant,
			readFile(file),
		);
		console.log(inWords(counts));
		if (counts.refused > 0) process.exitCode = 1;
	} finally {
		await installation.close();
	}
}

async function* readFile(file: string): AsyncGenerator<Buffer> {
	try {
		yield* file === "-" ? process.stdin : createReadStream(file);
	} catch (cause) {
		throw new StartError(`${file} cannot be read (${systemCode(cause)})`, { cause });
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
		throw new StartError(`--report ${path} cannot be written (${systemCode(cause)})`, { cause });
	}
}

/** At most a line a second. */
function createProgress(): (counts: ImportCounts) => void {
	let printedAtMs = systemClock();
	return (counts) => {
		if (systemClock() - printedAtMs < SECOND_MS) return;
		printedAtMs = systemClock();
		console.error(`${counts.lines} lines: ${inWords(counts)}`);
	};
}

function inWords({ made, present, refused }: ImportCounts): string {
	return `${made} imported, ${present} there already, ${refused} refused`;
}
