// The row above a list: search, filters and a reset button.

import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import "./filter-bar.css";
import { uiWords } from "./words.ts";

interface FilterBarProps {
	/** A `SearchBox`, and `Select`s with `hideLabel`. */
	readonly children: ComponentChildren;
	readonly isFiltered: boolean;
	readonly onReset: () => void;
	/** At the end of the row. */
	readonly actions?: ComponentChildren;
}

export function FilterBar({ children, isFiltered, onReset, actions }: FilterBarProps) {
	return (
		<div class="lk-filters">
			{children}
			{isFiltered && (
				<Button variant="quiet" onClick={onReset}>
					{uiWords().resetFilters}
				</Button>
			)}
			{actions !== undefined && <div class="lk-filters__actions">{actions}</div>}
		</div>
	);
}
