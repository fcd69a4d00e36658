// Sign-ins that wait for a second factor, in SQL: single conditional statements decide tries and use.

import { MFA_TOKEN_TRIES, type PendingSignInStore } from "../../domain/sign-in.ts";
import type { Queries } from "../sql/queries.ts";
import { pendingSignIns } from "../sql/tables/account-tables.ts";

const found = pendingSignIns.without("triesLeft");
const LIVE = "token_digest = $1 AND expires_at > $2";
const TAKE_TRY = `UPDATE pending_sign_ins SET tries_left = tries_left - 1 WHERE ${LIVE} AND tries_left > 0`;

export function createPendingSignInStore(queries: Queries): PendingSignInStore {
	return {
		insert: (pending) => pendingSignIns.insert(queries, { ...pending, triesLeft: MFA_TOKEN_TRIES }),
		find: (tokenDigest, nowMs) => found.find(queries, `${LIVE} AND tries_left > 0`, tokenDigest, nowMs),
		takeTry: async (tokenDigest, nowMs) => (await queries.run(TAKE_TRY, tokenDigest, nowMs)) === 1,
		consume: (tokenDigest, nowMs) => pendingSignIns.deleteOne(queries, LIVE, tokenDigest, nowMs),
		purge: (nowMs, limit) => pendingSignIns.purge(queries, "expires_at <= $1", nowMs, limit),
	};
}
