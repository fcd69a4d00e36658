// Adds up the rows in which transactions counted other rows, before there are so many that reading the sum takes time.

import { SECOND_MS } from "../kernel/clock.ts";
import type { Persistence } from "../kernel/transaction.ts";

export interface RowCounts {
	/** Within a transaction. @returns how many parts were added up. */
	fold(): Promise<number>;
}

/** For the list of jobs: totals are exact before and after. */
export function createFoldJob({ db }: { readonly db: Persistence<{ readonly rowCounts: RowCounts }> }) {
	return {
		name: "fold-counts",
		everyMs: 5 * SECOND_MS,
		run: async () => {
			await db.transaction(({ rowCounts }) => rowCounts.fold());
		},
	};
}
