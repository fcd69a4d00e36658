// Limits the calls of test clients, and counts for the reviewer how many succeeded.

import type { TestCalls } from "../../../domain/access-request.ts";
import type { Db } from "../../../domain/stores.ts";
import { tooMany } from "../../../kernel/error.ts";
import { WriteBehind } from "../../../kernel/write-behind.ts";
import type { Limiter } from "../gate/gate-limits.ts";

const CLIENTS_MAX = 10_000;

export interface TestCallRecorder {
	/** @throws AppError `request.too_many` */
	limit(clientId: string): Promise<void>;
	/** Must be fast. */
	record(clientId: string, isOk: boolean): void;
}

export function createTestCallRecorder(
	db: Db<"accessRequests">,
	limiter: Limiter | undefined,
): TestCallRecorder & { readonly buffer: WriteBehind<TestCalls> } {
	const buffer = new WriteBehind<TestCalls>({
		name: "test_calls",
		max: CLIENTS_MAX,
		merge: ({ clientId, ok, refused }, later) => ({
			clientId,
			ok: ok + later.ok,
			refused: refused + later.refused,
		}),
		write: (calls) => db.transaction(({ accessRequests }) => accessRequests.addTestCalls(calls)),
	});
	return {
		async limit(clientId) {
			const verdict = await limiter?.take(clientId);
			if (verdict === undefined || verdict.allowed) return;
			const { limit, resetSeconds: seconds } = verdict;
			const message = `too many requests: at most ${limit} a minute for a test client`;
			throw tooMany("request.too_many", message, { limit, seconds });
		},
		record(clientId, isOk) {
			buffer.record(clientId, { clientId, ok: Number(isOk), refused: Number(!isOk) });
		},
		buffer,
	};
}
