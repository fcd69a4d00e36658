// Recovery codes in SQL.

import type { RecoveryCodeStore } from "../../features/mfa/model.ts";
import type { Queries } from "./engine.ts";

export function createRecoveryCodeStore(queries: Queries): RecoveryCodeStore {
	return {
		async replaceAll(tenantId, userId, digests, nowMs) {
			await queries.run("DELETE FROM recovery_codes WHERE user_id = $1 AND tenant_id = $2", userId, tenantId);
			for (const digest of digests)
				await queries.run(
					"INSERT INTO recovery_codes (user_id, code_digest, tenant_id, created_at) VALUES ($1, $2, $3, $4)",
					userId,
					digest,
					tenantId,
					nowMs,
				);
		},
		async use(tenantId, userId, digest, nowMs) {
			const used = await queries.run(
				"UPDATE recovery_codes SET used_at = $4 WHERE user_id = $1 AND code_digest = $2 AND tenant_id = $3 AND used_at IS NULL",
				userId,
				digest,
				tenantId,
				nowMs,
			);
			return used === 1;
		},
	};
}
