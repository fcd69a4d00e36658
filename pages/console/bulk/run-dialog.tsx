// Asks, runs a task row by row with its progress, and reports which rows could not be changed.

import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import type { FormError } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { openOverlay } from "../overlays.tsx";
import { type Progress, type RowOutcome, runRows } from "./run-rows.ts";
import type { Identified, Steps, Task } from "./task.ts";

interface RunDialogProps<Row extends Identified> {
	readonly task: Task<Row>;
	readonly onClose: () => void;
}

export function RunDialog<Row extends Identified>({ task, onClose }: RunDialogProps<Row>) {
	const t = useWords("console").bulk;
	const { rows, Fields, leftOut = 0, isConfirmed = false } = task;
	const [steps, setSteps] = useState(task.steps);
	const [isMissing, setMissing] = useState(false);
	const [failed, setFailed] = useState<RowOutcome<Row>["failed"]>([]);
	/** What undoes each row: the fields may have changed since the row was done. */
	const undos = useRef(new Map<Row, NonNullable<Steps<Row>["undo"]>>());
	const step =
		steps &&
		(async (row: Row) => {
			await steps.run(row);
			if (steps.undo !== undefined) undos.current.set(row, steps.undo);
		});
	const report = (outcome: RowOutcome<Row>) => {
		const { done } = outcome;
		const takeBack = () => {
			// The list of what failed is still open.
			if (outcome.failed.length > 0) onClose();
			const { nameOf, onDone } = task;
			const run: Steps<Row>["run"] = async (row) => undos.current.get(row)?.(row);
			const texts = { title: t.undoing, label: uiWords().undo };
			ask({ ...texts, rows: done, nameOf, steps: { run }, isConfirmed: true, onDone });
		};
		const tone = done.length < rows.length ? "warning" : "success";
		announce(t.done(done.length, rows.length), tone, undos.current.size > 0 ? takeBack : undefined);
		task.onDone(done);
		setFailed(outcome.failed);
		if (outcome.failed.length === 0) onClose();
	};
	const { action, outcome, progress, isStopped, stop } = useRun(rows, step, report);
	useEffect(() => {
		if (isConfirmed) action.run();
	}, []);
	const close = isStopped ? () => report(outcome) : onClose;
	const wait = progress.waitSeconds === undefined ? "" : t.waiting(progress.waitSeconds);
	const closing = isStopped ? { label: uiWords().close, run: close } : undefined;
	if (failed.length > 0) return <FailedRows failed={failed} nameOf={task.nameOf} onClose={onClose} />;
	return (
		<FormDialog
			size="small"
			onClose={close}
			title={task.title}
			submitLabel={isStopped ? t.resume : task.label}
			tone={isStopped ? "primary" : task.tone}
			isQuick={task.isQuick}
			action={{ ...action, run: steps === undefined ? () => setMissing(true) : action.run }}
			errors={isMissing && steps === undefined ? task.missing : undefined}
			isBlocking={action.isPending}
			cancel={action.isPending ? { label: t.stop, run: stop } : closing}
		>
			{task.text !== undefined && <p>{task.text}</p>}
			{Fields !== undefined && <Fields onSteps={setSteps} />}
			{leftOut > 0 && <p>{t.leftOut(leftOut)}</p>}
			<p role="status">{action.isPending && [t.progress(progress.count, rows.length), wait].join(" ")}</p>
		</FormDialog>
	);
}

/** Opens the dialog of a task in the frame, above one that is open: an earlier task can be undone while another runs. */
export function ask<Row extends Identified>(task: Task<Row>): void {
	openOverlay((close) => <RunDialog task={task} onClose={close} />);
}

interface FailedRowsProps<Row extends Identified> {
	readonly failed: RowOutcome<Row>["failed"];
	readonly nameOf: (row: Row) => string;
	readonly onClose: () => void;
}

function FailedRows<Row extends Identified>({ failed, nameOf, onClose }: FailedRowsProps<Row>) {
	const t = useWords("console").bulk;
	return (
		<Dialog
			onClose={onClose}
			title={t.failed(failed.length)}
			actions={<Button onClick={onClose}>{uiWords().close}</Button>}
		>
			<ul>
				{failed.map(({ row, reason }) => (
					<li key={row.id}>
						<bdi>{nameOf(row)}</bdi>: {reason}
					</li>
				))}
			</ul>
		</Dialog>
	);
}

/** `run` starts, or continues what was stopped. */
function useRun<Row>(
	rows: readonly Row[],
	step: ((row: Row) => Promise<unknown>) | undefined,
	onEnd: (outcome: RowOutcome<Row>) => void,
) {
	const t = useWords("console").bulk;
	const [outcome, setOutcome] = useState<RowOutcome<Row>>({ done: [], failed: [], rest: rows });
	const [progress, setProgress] = useState<Progress>({ count: 0 });
	const [stopped, setStopped] = useState<FormError>();
	const abort = useRef<AbortController>();
	const action = useAction(async () => {
		if (step === undefined) return;
		setStopped(undefined);
		abort.current = new AbortController();
		const { signal } = abort.current;
		const after = await runRows(outcome, step, { signal, onProgress: setProgress });
		setOutcome(after);
		if (after.rest.length === 0) return onEnd(after);
		const { done, stoppedBy } = after;
		const message = t.stopped(done.length, rows.length, stoppedBy?.message);
		setStopped(stoppedBy?.status === 400 ? stoppedBy : { code: "run.stopped", message });
	});
	return {
		action: { ...action, error: action.error ?? stopped },
		outcome,
		progress,
		isStopped: stopped !== undefined && !action.isPending,
		stop: () => abort.current?.abort(),
	};
}
