// Recovery codes in SQL.

import type { RecoveryCodeStore } from "../../domain/recovery-code.ts";
import type { Queries } from "../sql/engine.ts";
import { recoveryCodes } from "../sql/tables/sign-in-tables.ts";

export function createRecoveryCodeStore(queries: Queries): RecoveryCodeStore {
	return {
		async replaceAll(tenantId, userId, digests, nowMs) {
			await recoveryCodes.delete(queries, { userId, tenantId });
			const code = { tenantId, userId, createdAtMs: nowMs, usedAtMs: null };
			for (const codeDigest of digests) await recoveryCodes.insert(queries, { ...code, codeDigest });
		},
		use(tenantId, userId, codeDigest, nowMs) {
			const unused = { userId, codeDigest, tenantId, usedAtMs: null };
			return recoveryCodes.updateOne(queries, { usedAtMs: nowMs }, unused);
		},
	};
}
