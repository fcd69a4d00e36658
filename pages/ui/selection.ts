// The selected rows of a table.

import { useState } from "preact/hooks";

export interface Selection {
	readonly keys: ReadonlySet<string>;
	set(keys: readonly string[], isSelected: boolean): void;
	clear(): void;
}

/** @param shown the rows on the page: rows that leave it are no longer selected. */
export function useSelection(shown: readonly string[]): Selection {
	const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
	return {
		keys: new Set(shown.filter((key) => chosen.has(key))),
		set(keys, isSelected) {
			const next = new Set(shown.filter((key) => chosen.has(key)));
			for (const key of keys) {
				if (isSelected) next.add(key);
				else next.delete(key);
			}
			setChosen(next);
		},
		clear: () => setChosen(new Set()),
	};
}
