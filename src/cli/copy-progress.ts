// Prints the progress of a backup, a restore or a copy on standard error: one line a table with rows, and one a second within it.

import { SECOND_MS, systemClock } from "../kernel/clock.ts";
import type { Progress } from "../ops/copy/backup.ts";

export interface CopyProgress {
	readonly expect: (rows: ReadonlyMap<string, number>) => void;
	readonly progress: Progress;
}

export function createCopyProgress(): CopyProgress {
	let expected: ReadonlyMap<string, number> = new Map();
	let all = 0;
	let before = 0;
	let printedAtMs = systemClock();
	return {
		expect(rows) {
			expected = rows;
			all = [...rows.values()].reduce((sum, count) => sum + count, 0);
			before = 0;
		},
		progress(table, rows, isDone) {
			const now = systemClock();
			if (isDone ? rows === 0 : now - printedAtMs < SECOND_MS) return;
			printedAtMs = now;
			const percent = all === 0 ? 100 : Math.min(100, Math.floor((100 * (before + rows)) / all));
			const of = isDone ? "" : ` of ${expected.get(table) ?? rows}`;
			console.error(`${String(percent).padStart(3)} %  ${table}: ${rows}${of} rows`);
			if (isDone) before += rows;
		},
	};
}
