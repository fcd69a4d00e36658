// Limits the calls of test clients, and counts for the reviewer how many succeeded.

import type { TestCalls } from "../../../domain/access-request.ts";
import type { Db } from "../../../domain/stores.ts";
import { tooMany } from "../../../kernel/error.ts";

/** Counts a key, and returns whether it is within the limit. */
interface Limiter {
	take(key: string): Verdict | Promise<Verdict>;
}

interface Verdict {
	readonly allowed: boolean;
	readonly limit: number;
	readonly resetSeconds: number;
}

export interface TestCallRecorder {
	/** @throws AppError `request.too_many` */
	limit(clientId: string): Promise<void>;
	/** Must be fast. */
	record(clientId: string, isOk: boolean): void;
}

/** `flush` writes what was recorded since the last flush. A crash loses a few seconds of counts. */
export function createTestCallRecorder(
	db: Db<"accessRequests">,
	limiter: Limiter | undefined,
): TestCallRecorder & { flush(): Promise<void> } {
	let calls = new Map<string, TestCalls>();
	return {
		async limit(clientId) {
			const verdict = await limiter?.take(clientId);
			if (verdict === undefined || verdict.allowed) return;
			const { limit, resetSeconds: seconds } = verdict;
			const message = `too many requests: at most ${limit} a minute for a test client`;
			throw tooMany("request.too_many", message, { limit, seconds });
		},
		record(clientId, isOk) {
			const { ok = 0, refused = 0 } = calls.get(clientId) ?? {};
			calls.set(clientId, { clientId, ok: ok + Number(isOk), refused: refused + Number(!isOk) });
		},
		async flush() {
			if (calls.size === 0) return;
			const counted = [...calls.values()];
			calls = new Map();
			await db.transaction(({ accessRequests }) => accessRequests.addTestCalls(counted));
		},
	};
}
