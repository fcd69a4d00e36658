// Adds up the rows in which transactions count other rows, before reading the sum becomes slow.

import type { Needs } from "../features/platform.ts";
import { SECOND_MS } from "../kernel/clock.ts";

/** Totals are exact before and after. */
export function createFoldJob({ db }: Needs<"rowCounts">) {
	return {
		name: "fold-counts",
		everyMs: 5 * SECOND_MS,
		run: async () => {
			await db.transaction(({ rowCounts }) => rowCounts.fold());
		},
	};
}
