// Passkeys and their challenges in SQL.

import type { PasskeyChallengeStore, PasskeyStore } from "../../domain/passkey.ts";
import type { Queries } from "../sql/queries.ts";
import { passkeyChallenges, passkeys, passkeyUsers } from "../sql/tables/sign-in-tables.ts";

const FIND_BY_CREDENTIAL = `SELECT ${passkeys.as("p").columns}, h.user_handle AS "userHandle"
	FROM passkeys p JOIN passkey_users h ON h.user_id = p.user_id
	WHERE p.credential_id = $1 AND p.tenant_id = $2`;
/** Some authenticators do not count signatures: their count stays 0. */
const IS_NEXT_COUNT = `id = $1 AND user_id = $2 AND tenant_id = $3
	AND (sign_count < $4 OR (sign_count = 0 AND CAST($4 AS BIGINT) = 0))`;
const LIVE = "challenge_digest = $1 AND tenant_id = $2 AND purpose = $3 AND subject = $4 AND expires_at > $5";

export function createPasskeyStore(queries: Queries): PasskeyStore {
	return {
		async handleOf(tenantId, userId, fresh) {
			await passkeyUsers.insertUnlessTaken(queries, { userId, tenantId, userHandle: fresh, declined: false });
			const user = await passkeyUsers.find(queries, { userId, tenantId });
			if (user === undefined) throw new Error("a user handle could not be stored");
			return user.userHandle;
		},
		findUser: (tenantId, userId) => passkeyUsers.find(queries, { userId, tenantId }),
		async declineAutomatic(tenantId, userId) {
			await passkeyUsers.update(queries, { declined: true }, { userId, tenantId });
		},
		insert: (passkey) => passkeys.insertUnlessTaken(queries, passkey),
		async findByCredential(tenantId, credentialId) {
			const row = await queries.one<object>(FIND_BY_CREDENTIAL, credentialId, tenantId);
			return row && passkeys.readJoined<{ userHandle: string }>(row);
		},
		listAll: (tenantId, userId) =>
			passkeys.all(
				queries,
				"user_id = $1 AND tenant_id = $2 ORDER BY created_at DESC, id DESC",
				userId,
				tenantId,
			),
		list: (tenantId, userId, page) =>
			passkeys.list(queries, { filter: passkeys.matching({ tenantId, userId }) }, page),
		rename: (tenantId, userId, id, name) =>
			passkeys.updateReturning(queries, { name }, { id, userId, tenantId }),
		use({ id, userId, tenantId }, signCount, nowMs) {
			const use = { signCount, lastUsedAtMs: nowMs };
			return passkeys.updateOne(queries, use, IS_NEXT_COUNT, id, userId, tenantId, signCount);
		},
		remove: (tenantId, userId, id) => passkeys.deleteReturning(queries, { id, userId, tenantId }),
	};
}

export function createPasskeyChallengeStore(queries: Queries): PasskeyChallengeStore {
	return {
		insert: (challenge) => passkeyChallenges.insert(queries, challenge),
		consume: ({ challengeDigest, tenantId, purpose, subject }, nowMs) =>
			passkeyChallenges.deleteOne(queries, LIVE, challengeDigest, tenantId, purpose, subject, nowMs),
		purge: (nowMs, limit) => passkeyChallenges.purge(queries, "expires_at <= $1", nowMs, limit),
	};
}
