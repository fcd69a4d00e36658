// Sign-ins in progress with identity providers, in SQL: single conditional statements decide which may continue.

import type { ThirdPartyAttempt, ThirdPartyAttemptStore } from "../../domain/third-party-attempt.ts";
import type { Queries } from "../sql/queries.ts";
import { thirdPartyAttempts } from "../sql/tables/third-party-tables.ts";

const begun = thirdPartyAttempts.without("beginDigest", "stateDigest", "protocolSealed");
const returned = thirdPartyAttempts.without("beginDigest", "stateDigest", "browserDigest");
const IS_BINDABLE =
	"id = $1 AND expires_at > $2 AND (browser_digest IS NULL OR browser_digest = $3 OR CAST($4 AS INTEGER) = 1)";
const OF_BROWSER = "state_digest = $1 AND browser_digest = $2 AND expires_at > $3";

export function createThirdPartyAttemptStore(queries: Queries): ThirdPartyAttemptStore {
	return {
		insert: ({ linkTo, ...attempt }) =>
			thirdPartyAttempts.insert(queries, {
				...attempt,
				userId: linkTo?.userId ?? null,
				sessionId: linkTo?.sessionId ?? null,
				stateDigest: null,
				protocolSealed: null,
			}),
		async findBegun(beginDigest, nowMs) {
			const row = await begun.find(queries, "begin_digest = $1 AND expires_at > $2", beginDigest, nowMs);
			return row && withLink(row);
		},
		bind(id, binding, fromAny, nowMs) {
			const parameters = [id, nowMs, binding.browserDigest, Number(fromAny)];
			return thirdPartyAttempts.updateOne(queries, binding, IS_BINDABLE, ...parameters);
		},
		async take(stateDigest, browserDigest, nowMs) {
			const row = await returned.deleteReturning(queries, OF_BROWSER, stateDigest, browserDigest, nowMs);
			return row && { ...withLink(row), protocolSealed: row.protocolSealed ?? "" };
		},
		remove: (id) => thirdPartyAttempts.deleteOne(queries, { id }),
		purge: (nowMs, limit) =>
			thirdPartyAttempts.purge(queries, "expires_at <= $1 ORDER BY expires_at", nowMs, limit),
	};
}

interface Linked {
	readonly userId: string | null;
	readonly sessionId: string | null;
}

function withLink<Row extends Linked>({
	userId,
	sessionId,
	...attempt
}: Row): Omit<Row, "userId" | "sessionId"> & Pick<ThirdPartyAttempt, "linkTo"> {
	return { ...attempt, linkTo: userId === null || sessionId === null ? null : { userId, sessionId } };
}
