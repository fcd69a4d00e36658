// The process of `sqlite-integrity.ts`: reads every page of the database and reports the first problems.

import type { DatabaseSync } from "node:sqlite";
import { openReadOnly } from "./inspect-sqlite.ts";
import { ignoreSignals } from "./reader-process.ts";

/** The problems, or why the database cannot be checked. */
export interface IntegrityReport {
	readonly problems?: readonly string[];
	readonly reason?: string;
}

const PROBLEMS_SHOWN = 3;
const SQLITE_CORRUPT = 11;

ignoreSignals();
process.send?.(report(process.argv[2] ?? ""));

function report(file: string): IntegrityReport {
	try {
		const database = openReadOnly(file);
		const problems = quickCheck(database);
		database.close();
		return { problems };
	} catch (error) {
		return { reason: error instanceof Error ? error.message : String(error) };
	}
}

/** Some kinds of damage end the check with an error. */
function quickCheck(checked: DatabaseSync): string[] {
	try {
		const rows = checked.prepare(`PRAGMA quick_check(${PROBLEMS_SHOWN})`).all();
		return rows.map((row) => String(row.quick_check)).filter((text) => text !== "ok");
	} catch (error) {
		if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_CORRUPT)
			return [error.message];
		throw error;
	}
}
