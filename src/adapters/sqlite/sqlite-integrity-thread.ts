// The thread of `sqlite-integrity.ts`: reads every page of the database and reports the first problems.

import type { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { openReadOnly } from "./inspect-sqlite.ts";

const PROBLEMS_SHOWN = 3;
const SQLITE_CORRUPT = 11;

const database = openReadOnly(String(workerData));
const problems = quickCheck(database);
database.close();
parentPort?.postMessage(problems);

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
