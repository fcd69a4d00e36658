// The rows of a list field: text with one entry per line, edited by keyboard and filled by pasting.

import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { FormContext } from "./form-context.ts";

export interface RowsState {
	readonly name: string;
	/** One entry per line. */
	readonly value: string;
	readonly onValue: (value: string) => void;
	/** Between pasted entries. Default: line breaks. */
	readonly separator?: RegExp | undefined;
}

export function useRows({ name, value, onValue, separator = /\r?\n/ }: RowsState) {
	const form = useContext(FormContext);
	const group = useRef<HTMLFieldSetElement>(null);
	const focused = useRef<number>();
	const rows = value.split("\n");
	useLayoutEffect(() => {
		if (focused.current === undefined) return;
		group.current?.querySelectorAll("input")[focused.current]?.focus();
		focused.current = undefined;
	}, [value]);
	const replace = (at: number, count: number, entries: readonly string[], focus: number) => {
		focused.current = focus;
		// The API's errors name positions, which change.
		form?.dismiss(name);
		onValue(rows.toSpliced(at, count, ...entries).join("\n"));
	};
	const insert = (at: number) => replace(at, 0, [""], at);
	const remove = (at: number) => replace(at, 1, rows.length === 1 ? [""] : [], Math.max(0, at - 1));
	return {
		group,
		rows,
		add: () => insert(rows.length),
		remove,
		set: (at: number, entry: string) => onValue(rows.with(at, entry).join("\n")),
		/** Enter adds a row; in an empty row it submits. Backspace removes an empty row. */
		onKeyDown(event: KeyboardEvent, at: number): void {
			const isEmpty = rows[at] === "";
			const adds = event.key === "Enter" && !isEmpty && !event.isComposing;
			const removes = event.key === "Backspace" && isEmpty && rows.length > 1;
			if (!adds && !removes) return;
			event.preventDefault();
			if (adds) insert(at + 1);
			else remove(at);
		},
		onPaste(event: ClipboardEvent, at: number): void {
			const { value: typed, selectionStart, selectionEnd } = event.currentTarget as HTMLInputElement;
			const pasted = event.clipboardData?.getData("text/plain") ?? "";
			const text = typed.slice(0, selectionStart ?? 0) + pasted + typed.slice(selectionEnd ?? 0);
			const entries = text
				.split(separator)
				.map((entry) => entry.trim())
				.filter((entry) => entry !== "");
			if (entries.length < 2) return;
			event.preventDefault();
			replace(at, 1, entries, at + entries.length - 1);
		},
	};
}
