// The run of a task: its progress, what stopped it, and what is left to do.

import { useRef, useState } from "preact/hooks";
import { useAction } from "../../api/query.ts";
import type { FormError } from "../../ui/form.tsx";
import { useWords } from "../../words/words.ts";
import { type Progress, type RowOutcome, runRows } from "./run-rows.ts";

/** `run` starts, or continues what was stopped. */
export function useRun<Row>(
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
