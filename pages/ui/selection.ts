// The selected rows of a list.

import { useRef, useState } from "preact/hooks";

export interface Selection {
	readonly keys: ReadonlySet<string>;
	/** A range reaches from the row picked last. */
	pick(key: string, isSelected: boolean, isRange: boolean): void;
	set(keys: readonly string[], isSelected: boolean): void;
	clear(): void;
}

/** @param shown the rows on the page, in order: rows that leave it are no longer selected. */
export function useSelection(shown: readonly string[]): Selection {
	const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
	const picked = useRef("");
	const set = (keys: readonly string[], isSelected: boolean) =>
		setChosen((before) => {
			const next = new Set(shown.filter((key) => before.has(key)));
			for (const key of keys) {
				if (isSelected) next.add(key);
				else next.delete(key);
			}
			return next;
		});
	return {
		keys: new Set(shown.filter((key) => chosen.has(key))),
		pick(key, isSelected, isRange) {
			const ends = [shown.indexOf(picked.current), shown.indexOf(key)];
			const hasRange = isRange && !ends.includes(-1);
			set(hasRange ? shown.slice(Math.min(...ends), Math.max(...ends) + 1) : [key], isSelected);
			picked.current = key;
		},
		set,
		clear: () => setChosen(new Set()),
	};
}
