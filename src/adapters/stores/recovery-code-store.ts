// Recovery codes in SQL.

import type { RecoveryCodeStore } from "../../domain/recovery-code.ts";
import type { Queries } from "../sql/engine.ts";
import { recoveryCodes } from "../sql/tables/sign-in-tables.ts";

export function createRecoveryCodeStore(queries: Queries): RecoveryCodeStore {
	return {
		async replaceAll(tenantId, userId, digests, nowMs) {
			await recoveryCodes.delete(queries, "user_id = $1 AND tenant_id = $2", userId, tenantId);
			const code = { tenantId, userId, createdAtMs: nowMs, usedAtMs: null };
			for (const codeDigest of digests) await recoveryCodes.insert(queries, { ...code, codeDigest });
		},
		use: (tenantId, userId, digest, nowMs) =>
			recoveryCodes.updateOne(
				queries,
				{ usedAtMs: nowMs },
				"user_id = $1 AND code_digest = $2 AND tenant_id = $3 AND used_at IS NULL",
				userId,
				digest,
				tenantId,
			),
	};
}
