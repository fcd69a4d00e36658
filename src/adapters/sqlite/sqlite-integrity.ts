// Checks the integrity of an embedded database in a separate process: it reads the whole file.

import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { type Clock, isoTime } from "../../kernel/clock.ts";
import { startReader } from "./reader-process.ts";
import type { IntegrityReport } from "./sqlite-integrity-process.ts";

/** Takes about 5 s per gigabyte. Changes nothing. */
export async function checkIntegrity(file: string, clock: Clock): Promise<InstallationCheck> {
	try {
		const problems = await quickCheck(file);
		const at = isoTime(clock());
		if (problems.length === 0) return check("database.intact", { file, at });
		return check("database.damaged", { file, at, problems: problems.join("; ").replaceAll(/\s+/g, " ") });
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return check("database.unusable", { reason: `database ${file} cannot be checked: ${reason}` });
	}
}

function quickCheck(file: string): Promise<string[]> {
	return new Promise((resolve, reject) => {
		const child = startReader("sqlite-integrity-process", file);
		child.once("message", ({ problems, reason }: IntegrityReport) =>
			problems === undefined ? reject(new Error(reason)) : resolve([...problems]),
		);
		child.once("error", reject);
		child.once("exit", () => reject(new Error("the check was interrupted")));
	});
}

/**
 * Checks the integrity beside other work, one check at a time. Each call returns the last result at once and starts
 * another check if that result is older than `keptMs`. Until the first one ends, it returns `database.checking`.
 */
export function createIntegrityWatch(
	run: () => Promise<InstallationCheck>,
	{ file, clock, keptMs }: { readonly file: string; readonly clock: Clock; readonly keptMs: number },
): () => InstallationCheck {
	let last: InstallationCheck | undefined;
	let startedAtMs: number | undefined;
	let endedAtMs = Number.NEGATIVE_INFINITY;
	return () => {
		if (startedAtMs === undefined && clock() - endedAtMs >= keptMs) {
			startedAtMs = clock();
			void run().then((found) => {
				last = found;
				endedAtMs = clock();
				startedAtMs = undefined;
			});
		}
		return last ?? check("database.checking", { file, since: isoTime(startedAtMs ?? clock()) });
	};
}
