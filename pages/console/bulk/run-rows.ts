// Runs an action row by row: a refused row does not stop the others, but a lost connection does.

import { ApiError } from "../../api/error.ts";

export interface RowOutcome<Row> {
	readonly done: readonly Row[];
	/** Rows that were not tried have no reason. */
	readonly failed: readonly { readonly row: Row; readonly reason: string | undefined }[];
}

export interface Progress {
	readonly count: number;
	/** The wait that the service asked for; undefined otherwise. */
	readonly waitSeconds?: number;
}

/** Waits when the service asks to (429), then repeats the row. */
export async function runRows<Row>(
	rows: readonly Row[],
	run: (row: Row) => Promise<unknown>,
	onProgress: (progress: Progress) => void,
): Promise<RowOutcome<Row>> {
	const done: Row[] = [];
	const failed: { row: Row; reason: string | undefined }[] = [];
	for (const [index, row] of rows.entries()) {
		const error = await errorOf(
			() => run(row),
			(waitSeconds) => onProgress({ count: index, waitSeconds }),
		);
		if (error === undefined) done.push(row);
		else failed.push({ row, reason: error.message });
		onProgress({ count: index + 1 });
		if (error?.status !== NO_RESPONSE) continue;
		failed.push(...rows.slice(index + 1).map((rest) => ({ row: rest, reason: undefined })));
		break;
	}
	return { done, failed };
}

const NO_RESPONSE = 0;

/** @throws other errors than those of the API. */
async function errorOf(
	run: () => Promise<unknown>,
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
			await new Promise((resolve) => setTimeout(resolve, retryAfterSeconds * 1_000));
		}
	}
}
