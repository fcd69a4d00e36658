// Runs an action row by row: a refused row does not stop the others, but an unavailable service does.

import { ApiError } from "../../api/error.ts";

export interface RowOutcome<Row> {
	readonly done: readonly Row[];
	readonly failed: readonly { readonly row: Row; readonly reason: string }[];
	/** What a stopped run has left, from the row that stopped it. */
	readonly rest: readonly Row[];
	/** Undefined if the user stopped the run, or nothing did. */
	readonly stoppedBy?: ApiError | undefined;
}

export interface Progress {
	readonly count: number;
	/** The wait that the service asked for; undefined otherwise. */
	readonly waitSeconds?: number;
}

/** No response arrived (0), or a proxy or the service is unavailable; 400: the input is wrong for every row. */
const STOPPING = [0, 400, 502, 503, 504];

/** Continues a run. Waits when the service asks to (429), then repeats the row. */
export async function runRows<Row>(
	before: RowOutcome<Row>,
	run: (row: Row) => Promise<unknown>,
	{ signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<RowOutcome<Row>> {
	const done = [...before.done];
	const failed = [...before.failed];
	for (const [index, row] of before.rest.entries()) {
		const stopped = { done, failed, rest: before.rest.slice(index) };
		const count = done.length + failed.length;
		onProgress({ count });
		if (signal.aborted) return stopped;
		const error = await errorOf(
			() => run(row),
			signal,
			(waitSeconds) => onProgress({ count, waitSeconds }),
		);
		if (error === undefined) done.push(row);
		else if (error.status === 429 && signal.aborted) return stopped;
		else if (STOPPING.includes(error.status)) return { ...stopped, stoppedBy: error };
		else failed.push({ row, reason: error.message });
	}
	return { done, failed, rest: [] };
}

/** @throws other errors than those of the API. */
async function errorOf(
	run: () => Promise<unknown>,
	signal: AbortSignal,
	onWait: (seconds: number) => void,
): Promise<ApiError | undefined> {
	for (;;) {
		try {
			await run();
			return undefined;
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
			const { status, retryAfterSeconds } = error;
			if (status !== 429 || retryAfterSeconds === undefined) return error;
			onWait(retryAfterSeconds);
			if (!signal.aborted) await pause(retryAfterSeconds * 1_000, signal);
			if (signal.aborted) return error;
		}
	}
}

/** Ends early if the run is stopped. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		signal.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}
