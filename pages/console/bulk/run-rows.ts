// Runs an action row by row: a failure of one row does not stop the others.

import { ApiError } from "../../api/error.ts";

export interface RowOutcome<Row> {
	readonly done: readonly Row[];
	readonly failed: readonly { readonly row: Row; readonly reason: string }[];
}

/** Waits when the service asks to (429), then repeats the row. */
export async function runRows<Row>(
	rows: readonly Row[],
	run: (row: Row) => Promise<unknown>,
	onProgress: (count: number) => void,
): Promise<RowOutcome<Row>> {
	const done: Row[] = [];
	const failed: { row: Row; reason: string }[] = [];
	for (const row of rows) {
		const error = await errorOf(() => run(row));
		if (error === undefined) done.push(row);
		else failed.push({ row, reason: error.message });
		onProgress(done.length + failed.length);
	}
	return { done, failed };
}

/** @throws other errors than those of the API. */
async function errorOf(run: () => Promise<unknown>): Promise<ApiError | undefined> {
	for (;;) {
		try {
			await run();
			return undefined;
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
			const { status, retryAfterSeconds } = error;
			if (status !== 429 || retryAfterSeconds === undefined) return error;
			await new Promise((resolve) => setTimeout(resolve, retryAfterSeconds * 1_000));
		}
	}
}
