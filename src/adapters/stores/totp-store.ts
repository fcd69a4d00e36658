// TOTP factors and recovery codes in SQL: one conditional statement records which code was used last.

import type { RecoveryCodeStore, TotpStore } from "../../domain/second-factor.ts";
import type { Queries } from "../sql/queries.ts";
import { after, before } from "../sql/table-columns.ts";
import { recoveryCodes, totpFactors } from "../sql/tables/sign-in-tables.ts";

const factors = totpFactors.without("status", "lastUsedStep", "expiresAtMs");
const OF_USER = "user_id = $1 AND tenant_id = $2";
/** One statement: the second of two concurrent enrollments replaces the first. */
const putPending = totpFactors.insertWith({
	onConflict: `(user_id, status) DO UPDATE SET
		id = excluded.id, secret_sealed = excluded.secret_sealed, created_at = excluded.created_at, expires_at = excluded.expires_at`,
});

export function createTotpStore(queries: Queries): TotpStore {
	return {
		async putPending(factor, expiresAtMs) {
			await putPending(queries, { ...factor, status: "pending", lastUsedStep: 0, expiresAtMs });
		},
		findPending: (tenantId, userId, nowMs) =>
			factors.find(queries, { userId, tenantId, status: "pending", expiresAtMs: after(nowMs) }),
		findActive: (tenantId, userId) => factors.find(queries, { userId, tenantId, status: "active" }),
		async activate({ id, tenantId, userId }, lastUsedStep, nowMs) {
			const others = `${OF_USER} AND status = 'active' AND id <> $3`;
			await totpFactors.delete(queries, others, userId, tenantId, id);
			return totpFactors.updateOne(
				queries,
				{ status: "active", lastUsedStep, expiresAtMs: null },
				{ userId, tenantId, id, status: "pending", expiresAtMs: after(nowMs) },
			);
		},
		useStep: ({ id, tenantId }, lastUsedStep) =>
			totpFactors.updateOne(
				queries,
				{ lastUsedStep },
				{ id, tenantId, status: "active", lastUsedStep: before(lastUsedStep) },
			),
		async remove(tenantId, userId) {
			const removed = await queries.all<{ status: string }>(
				`DELETE FROM totp_factors WHERE ${OF_USER} RETURNING status`,
				userId,
				tenantId,
			);
			return removed.some(({ status }) => status === "active");
		},
		purge: (nowMs, limit) =>
			totpFactors.purge(queries, "expires_at IS NOT NULL AND expires_at <= $1", nowMs, limit),
	};
}

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
