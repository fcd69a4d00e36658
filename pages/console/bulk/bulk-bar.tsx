// The actions for the selected rows of a list.

import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import type { Selection } from "../../ui/selection.ts";
import { useWords } from "../../words/words.ts";
import { overlays } from "../overlays.tsx";
import { useShortcuts } from "../shortcuts/shortcuts.ts";
import "./bulk-bar.css";
import { ask } from "./run-dialog.tsx";
import type { FieldsProps, Identified, Steps, Task } from "./task.ts";

export interface BulkAction<Row extends Identified>
	extends Pick<Task<Row>, "label" | "tone" | "missing">,
		Partial<Steps<Row>> {
	readonly key: string;
	/** Starts it for the selected rows; `does` is for the help. */
	readonly shortcut?: { readonly key: string; readonly does: string };
	/** Of the dialog's button, if it is not `label`. */
	readonly submitLabel?: string;
	/** Asks about this many rows. */
	readonly title: (count: number) => string;
	readonly text?: string;
	/** Other selected rows are left alone. */
	readonly appliesTo: (row: Row) => boolean;
	/** In place of `run`: asks for what the action needs. */
	readonly Fields?: ComponentType<FieldsProps<Row>>;
}

interface BulkBarProps<Row extends Identified> extends Pick<Task<Row>, "nameOf" | "onDone"> {
	readonly rows: readonly Row[];
	readonly selection: Selection;
	readonly actions: readonly BulkAction<Row>[];
}

export function BulkBar<Row extends Identified>(props: BulkBarProps<Row>) {
	const { rows, nameOf, selection, actions } = props;
	const t = useWords("console").bulk;
	const selected = rows.filter(({ id }) => selection.keys.has(id));
	useFocusAfter(selected.length === 0 && overlays.value.length === 0);
	const start = ({ run, undo, shortcut: _, ...action }: BulkAction<Row>, isQuick = false) => {
		const targets = selected.filter(action.appliesTo);
		ask({
			...action,
			isQuick,
			title: action.title(targets.length),
			label: action.submitLabel ?? action.label,
			rows: targets,
			nameOf,
			leftOut: selected.length - targets.length,
			steps: run && { run, undo },
			onDone(done) {
				// What failed and what was not tried stays selected, for another try.
				selection.set(
					done.map(({ id }) => id),
					false,
				);
				props.onDone(done);
			},
		});
	};
	useShortcuts([
		{ key: "x", does: t.select, run: () => pick(false), isUsable: () => rows.length > 0 },
		{ key: "X", does: t.selectTo, run: () => pick(true), isUsable: () => rows.length > 0 },
		{ key: "Escape", does: t.clear, run: selection.clear, isUsable: () => selected.length > 0 },
		...actions.flatMap((action) => {
			const isUsable = () => selected.some(action.appliesTo);
			return action.shortcut === undefined
				? []
				: { ...action.shortcut, run: () => start(action, true), isUsable };
		}),
	]);
	if (selected.length === 0) return null;
	return (
		<section class="lk-bulk" aria-label={t.title}>
			<b>{t.selected(selected.length)}</b>
			{actions
				.filter(({ appliesTo }) => selected.some(appliesTo))
				.map((action) => (
					<Button key={action.key} size="small" onClick={() => start(action)}>
						{action.label}
					</Button>
				))}
			<Button size="small" variant="quiet" onClick={selection.clear}>
				{t.clear}
			</Button>
		</section>
	);
}

const ROWS = ":is(tbody > tr, li)";
const BOX = ".lk-row-box";

/** The checkbox of the row that has the focus, or else of the open one. */
function currentBox(): HTMLInputElement | undefined {
	const rows = [`${ROWS}:focus-within`, `${ROWS}:has([aria-current=true])`];
	const boxes = rows.map((row) => document.querySelector<HTMLInputElement>(`main ${row} ${BOX}`));
	return boxes.find((box) => box !== null) ?? undefined;
}

function pick(isRange: boolean): void {
	currentBox()?.dispatchEvent(new MouseEvent("click", { shiftKey: isRange }));
}

/** Focuses the list after the bar or the dialog that had the focus is gone. */
function useFocusAfter(isOver: boolean): void {
	const wasOver = useRef(true);
	useEffect(() => {
		if (isOver && !wasOver.current && document.activeElement === document.body)
			document.querySelector<HTMLInputElement>(`main ${ROWS} ${BOX}`)?.focus({ preventScroll: true });
		wasOver.current = isOver;
	}, [isOver]);
}
