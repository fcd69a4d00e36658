// Progress of long commands on standard error, if it is a terminal.

import { SECOND_MS, systemClock } from "../kernel/clock.ts";
import type { Progress } from "../ops/copy/backup.ts";
import { hostConsole } from "./host.ts";
import { showsProgress } from "./output.ts";

/**
 * Prints at most one line per second.
 *
 * @param sinceMs time of the last line; the first line is due a second later. Default: due at once.
 */
export function printEverySecond<Args extends readonly unknown[]>(
	describe: (...args: Args) => string,
	sinceMs = Number.NEGATIVE_INFINITY,
): (...args: Args) => void {
	let printedAtMs = sinceMs;
	if (!showsProgress()) return () => undefined;
	return (...args) => {
		const now = systemClock();
		if (now - printedAtMs < SECOND_MS) return;
		printedAtMs = now;
		hostConsole().error(describe(...args));
	};
}

/** For a backup, a restore, or a copy: one line per table with rows, and one per second within it. */
export function createCopyProgress() {
	let expected: ReadonlyMap<string, number> = new Map();
	let all = 0;
	let before = 0;
	let printedAtMs = systemClock();
	const expect = (rows: ReadonlyMap<string, number>): void => {
		expected = rows;
		all = [...rows.values()].reduce((sum, count) => sum + count, 0);
		before = 0;
	};
	const progress: Progress = (table, rows, isDone) => {
		if (!showsProgress()) return;
		const now = systemClock();
		if (isDone ? rows === 0 : now - printedAtMs < SECOND_MS) return;
		printedAtMs = now;
		const percent = all === 0 ? 100 : Math.min(100, Math.floor((100 * (before + rows)) / all));
		const of = isDone ? "" : ` of ${expected.get(table) ?? rows}`;
		hostConsole().error(`${String(percent).padStart(3)} %  ${table}: ${rows}${of} rows`);
		if (isDone) before += rows;
	};
	return { expect, progress };
}

export function countRows(tables: readonly { readonly rows: number }[]): number {
	return tables.reduce((sum, table) => sum + table.rows, 0);
}

/** The size of a copy: `12 rows in 3 tables`. */
export function describeRows(tables: readonly { readonly rows: number }[]): string {
	return `${countRows(tables)} rows in ${tables.length} tables`;
}
