// The checkbox that selects a row of a list, and the one that selects all.

import "./box.css";
import "./row-box.css";
import type { Selection } from "./selection.ts";
import { uiWords } from "./words.ts";

interface RowBoxProps {
	/** Of the row, in `selection`. */
	readonly rowKey: string;
	readonly name: string;
	readonly selection: Selection;
}

/** With Shift, selects the rows from the one picked last. */
export function RowBox({ rowKey, name, selection }: RowBoxProps) {
	return (
		<input
			type="checkbox"
			class="lk-box lk-row-box"
			aria-label={uiWords().selectRow(name)}
			checked={selection.keys.has(rowKey)}
			onClick={({ currentTarget, shiftKey }) => selection.pick(rowKey, currentTarget.checked, shiftKey)}
		/>
	);
}

interface AllRowsBoxProps {
	readonly keys: readonly string[];
	readonly selection: Selection;
}

export function AllRowsBox({ keys, selection }: AllRowsBoxProps) {
	const isAll = keys.length > 0 && selection.keys.size === keys.length;
	return (
		<input
			type="checkbox"
			class="lk-box lk-row-box"
			aria-label={uiWords().selectAll}
			checked={isAll}
			indeterminate={!isAll && selection.keys.size > 0}
			onChange={(event) => selection.set(keys, event.currentTarget.checked)}
		/>
	);
}

/** Above rows that are not a table. */
export function SelectAll(props: AllRowsBoxProps) {
	return (
		// biome-ignore lint/a11y/noLabelWithoutControl: it contains the box
		<label class="lk-select-all">
			<AllRowsBox {...props} />
			{uiWords().selectAll}
		</label>
	);
}
