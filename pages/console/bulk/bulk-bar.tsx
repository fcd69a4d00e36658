// What can be done with the selected rows of a list, one row after the other.

import { useState } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import type { Selection } from "../../ui/selection.ts";
import { announce } from "../../ui/status-line.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { useShortcuts } from "../shortcuts/shortcuts.ts";
import "./bulk-bar.css";
import { type RowOutcome, runRows } from "./run-rows.ts";

export interface BulkAction<Row> {
	readonly key: string;
	readonly label: string;
	/** Asks about this many rows. */
	readonly title: (count: number) => string;
	/** What happens to each row. */
	readonly text: string;
	readonly tone?: "danger" | "primary";
	/** Other selected rows are left alone. */
	readonly appliesTo: (row: Row) => boolean;
	readonly run: (row: Row) => Promise<unknown>;
	readonly undo?: (row: Row) => Promise<unknown>;
}

interface BulkBarProps<Row> {
	readonly rows: readonly Row[];
	readonly keyOf: (row: Row) => string;
	readonly nameOf: (row: Row) => string;
	readonly selection: Selection;
	readonly actions: readonly BulkAction<Row>[];
	/** Called after rows changed. */
	readonly onDone: () => void;
}

export function BulkBar<Row>({ rows, keyOf, nameOf, selection, actions, onDone }: BulkBarProps<Row>) {
	const t = useWords("console").bulk;
	const [asked, setAsked] = useState<BulkAction<Row>>();
	const [failed, setFailed] = useState<RowOutcome<Row>["failed"]>([]);
	const [count, setCount] = useState(0);
	const selected = rows.filter((row) => selection.keys.has(keyOf(row)));
	const target = asked === undefined ? [] : selected.filter(asked.appliesTo);
	useShortcuts([
		{
			key: "x",
			does: t.select,
			run: () => focusedBox()?.click(),
			isUsable: () => focusedBox() !== undefined,
		},
	]);
	const report = ({ done, failed: rest }: RowOutcome<Row>, undo?: () => unknown) => {
		setFailed(rest);
		announce(t.done(done.length, done.length + rest.length), rest.length > 0 ? "warning" : "success", undo);
		onDone();
	};
	const action = useAction(async () => {
		if (asked === undefined) return;
		setCount(0);
		const outcome = await runRows(target, asked.run, setCount);
		const { undo } = asked;
		const canUndo = undo !== undefined && outcome.done.length > 0;
		setAsked(undefined);
		selection.clear();
		report(
			outcome,
			canUndo ? () => runRows(outcome.done, undo, setCount).then((undone) => report(undone)) : undefined,
		);
	});
	return (
		<>
			{selected.length > 0 && (
				<section class="lk-bulk" aria-label={t.title}>
					<b>{t.selected(selected.length)}</b>
					{actions
						.filter(({ appliesTo }) => selected.some(appliesTo))
						.map((one) => (
							<Button key={one.key} size="small" onClick={() => setAsked(one)}>
								{one.label}
							</Button>
						))}
					<Button size="small" variant="quiet" onClick={selection.clear}>
						{t.clear}
					</Button>
				</section>
			)}
			{asked !== undefined && (
				<ConfirmDialog
					onClose={() => setAsked(undefined)}
					title={asked.title(target.length)}
					confirmLabel={action.isPending ? t.progress(count, target.length) : asked.label}
					tone={asked.tone ?? "primary"}
					action={action}
				>
					<p>{asked.text}</p>
					{target.length < selected.length && <p>{t.leftOut(selected.length - target.length)}</p>}
				</ConfirmDialog>
			)}
			{failed.length > 0 && (
				<Dialog
					onClose={() => setFailed([])}
					title={t.failed(failed.length)}
					actions={<Button onClick={() => setFailed([])}>{uiWords().close}</Button>}
				>
					<ul>
						{failed.map(({ row, reason }) => (
							<li key={keyOf(row)}>
								<bdi>{nameOf(row)}</bdi>: {reason}
							</li>
						))}
					</ul>
				</Dialog>
			)}
		</>
	);
}

/** The checkbox of the row that has the focus. */
function focusedBox(): HTMLInputElement | undefined {
	return (
		document.activeElement?.closest("tr")?.querySelector<HTMLInputElement>(".lk-table__select input") ??
		undefined
	);
}
