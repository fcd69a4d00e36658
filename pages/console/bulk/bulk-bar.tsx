// What can be done with the selected rows of a list, one row after the other.

import { useLayoutEffect, useState } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { Selection } from "../../ui/selection.ts";
import { announce } from "../../ui/status-line.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { useShortcuts } from "../shortcuts/shortcuts.ts";
import "./bulk-bar.css";
import { type Progress, type RowOutcome, runRows } from "./run-rows.ts";

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
	const [progress, setProgress] = useState<Progress>({ count: 0 });
	const selected = rows.filter((row) => selection.keys.has(keyOf(row)));
	const target = asked === undefined ? [] : selected.filter(asked.appliesTo);
	const isOver = selected.length === 0 && asked === undefined && failed.length === 0;
	useLayoutEffect(() => {
		// The bar or the dialog that had the focus is gone.
		if (isOver && document.activeElement === document.body)
			document.querySelector<HTMLInputElement>(`tbody ${ROW_BOX}`)?.focus({ preventScroll: true });
	}, [isOver]);
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
	const undoing = useAction(async (done: readonly Row[], undo: (row: Row) => Promise<unknown>) =>
		report(await runRows(done, undo, setProgress)),
	);
	const action = useAction(async () => {
		if (asked === undefined) return;
		setProgress({ count: 0 });
		const outcome = await runRows(target, asked.run, setProgress);
		const { undo } = asked;
		const canUndo = undo !== undefined && outcome.done.length > 0;
		setAsked(undefined);
		selection.clear();
		report(outcome, canUndo ? () => undoing.run(outcome.done, undo) : undefined);
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
			{undoing.error !== undefined && (
				<Notice tone="danger">
					<ErrorText error={undoing.error} />
				</Notice>
			)}
			{asked !== undefined && (
				<ConfirmDialog
					onClose={() => setAsked(undefined)}
					title={asked.title(target.length)}
					confirmLabel={asked.label}
					waitsForAction
					tone={asked.tone ?? "primary"}
					action={action}
				>
					<p>{asked.text}</p>
					{action.isPending && (
						<p role="status">
							{t.progress(progress.count, target.length)}{" "}
							{progress.waitSeconds !== undefined && t.waiting(progress.waitSeconds)}
						</p>
					)}
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
								<bdi>{nameOf(row)}</bdi>: {reason ?? t.notTried}
							</li>
						))}
					</ul>
				</Dialog>
			)}
		</>
	);
}

const ROW_BOX = ".lk-table__select input";

/** The checkbox of the row that has the focus. */
function focusedBox(): HTMLInputElement | undefined {
	return document.activeElement?.closest("tr")?.querySelector<HTMLInputElement>(ROW_BOX) ?? undefined;
}
