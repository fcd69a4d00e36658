// Sign-ins in progress with identity providers, in SQL: one conditional statement decides which may continue.

import type { ThirdPartyAttemptStore } from "../../domain/third-party-attempt.ts";
import type { Queries } from "../sql/queries.ts";
import { thirdPartyAttempts } from "../sql/tables/third-party-tables.ts";

const returned = thirdPartyAttempts.without("stateDigest", "browserDigest");
const OF_BROWSER = "state_digest = $1 AND browser_digest = $2 AND expires_at > $3";

export function createThirdPartyAttemptStore(queries: Queries): ThirdPartyAttemptStore {
	return {
		insert: ({ linkTo, ...attempt }) =>
			thirdPartyAttempts.insert(queries, {
				...attempt,
				userId: linkTo?.userId ?? null,
				sessionId: linkTo?.sessionId ?? null,
			}),
		async take(stateDigest, browserDigest, nowMs) {
			const row = await returned.deleteReturning(queries, OF_BROWSER, stateDigest, browserDigest, nowMs);
			if (row === undefined) return undefined;
			const { userId, sessionId, ...attempt } = row;
			return { ...attempt, linkTo: userId === null || sessionId === null ? null : { userId, sessionId } };
		},
		purge: (nowMs, limit) =>
			thirdPartyAttempts.purge(queries, "expires_at <= $1 ORDER BY expires_at", nowMs, limit),
	};
}
