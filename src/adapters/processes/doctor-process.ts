// Runs the doctor in a separate process: its checks open the database a second time and block while they read it.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { InspectInstallation, InstallationCheck } from "../../domain/installation-check.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";

const PROGRAM = fileURLToPath(new URL("../../../bin/latchkey.js", import.meta.url));
const TIMEOUT_MS = 60 * SECOND_MS;
/** The last run's checks are returned for this long. */
const KEPT_MS = 10 * SECOND_MS;

/**
 * Runs one doctor at a time, with the settings of this process. Concurrent callers, and callers soon after, share its
 * result. `integrity` returns the last result of the check of an embedded database.
 */
export function createDoctorProcess(
	clock: Clock,
	integrity: (() => InstallationCheck) | undefined,
): InspectInstallation {
	let last: { readonly checks: Promise<readonly InstallationCheck[]>; endedAtMs: number } | undefined;
	return () => {
		if (last !== undefined && clock() - last.endedAtMs < KEPT_MS) return last.checks;
		const run = { checks: runDoctor(integrity), endedAtMs: Number.POSITIVE_INFINITY };
		last = run;
		run.checks.then(
			() => {
				run.endedAtMs = clock();
			},
			() => {
				last = undefined;
			},
		);
		return run.checks;
	};
}

async function runDoctor(
	integrity: (() => InstallationCheck) | undefined,
): Promise<readonly InstallationCheck[]> {
	// Begin the check of a small database now: its result is known when the doctor ends.
	integrity?.();
	const output = await new Promise<string>((resolve, reject) => {
		const options = { timeout: TIMEOUT_MS, maxBuffer: 1024 * 1024 };
		execFile(
			process.execPath,
			[PROGRAM, "doctor", "--json", "--skip-integrity"],
			options,
			(error, stdout) => {
				// The doctor exits with an error status when a check fails; its output contains the checks.
				if (error !== null && stdout === "") reject(error);
				else resolve(stdout);
			},
		);
	});
	const checks = output
		.trimEnd()
		.split("\n")
		.map((line): InstallationCheck => {
			const { about, level, text, ...codeAndParams } = JSON.parse(line);
			return { name: about, status: level, detail: text, ...codeAndParams };
		});
	const isReadable = checks.every(({ code }) => code !== "database.unusable");
	return integrity === undefined || !isReadable ? checks : [...checks, integrity()];
}
