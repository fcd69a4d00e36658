// What a user has enrolled, over all kinds of second factors, in SQL.

import type { EnrolledFactors, SecondFactorStore } from "../../features/mfa/model.ts";
import type { Queries } from "./engine.ts";

const ENROLLED = `SELECT
	(SELECT count(*) FROM totp_factors t WHERE t.user_id = $1 AND t.tenant_id = $2 AND t.status = 'active') AS totp,
	(SELECT count(*) FROM passkeys p WHERE p.user_id = $1 AND p.tenant_id = $2) AS passkeys,
	(SELECT count(*) FROM recovery_codes r WHERE r.user_id = $1 AND r.tenant_id = $2 AND r.used_at IS NULL) AS recovery_codes`;
const REQUIRED = `SELECT t.require_mfa AS by_tenant,
	(SELECT a.require_mfa FROM applications a WHERE a.id = $2 AND a.tenant_id = $1) AS by_application
	FROM tenants t WHERE t.id = $1`;
const TABLES = ["totp_factors", "passkeys", "recovery_codes"];
const THIS_USER = "user_id = $1 AND tenant_id = $2";

export function createSecondFactorStore(queries: Queries): SecondFactorStore {
	const findEnrolled = async (tenantId: string, userId: string): Promise<EnrolledFactors> => {
		const row = await queries.one<{ totp: number; passkeys: number; recovery_codes: number }>(
			ENROLLED,
			userId,
			tenantId,
		);
		if (row === undefined) throw new Error("factors could not be counted");
		return { totp: row.totp > 0, passkeys: row.passkeys, recoveryCodes: row.recovery_codes };
	};
	const removeFrom = (table: string, tenantId: string, userId: string): Promise<number> =>
		queries.run(`DELETE FROM ${table} WHERE ${THIS_USER}`, userId, tenantId);
	return {
		findEnrolled,
		async isRequired(tenantId, appId) {
			const row = await queries.one<{ by_tenant: number; by_application: number | null }>(
				REQUIRED,
				tenantId,
				appId ?? "",
			);
			return row !== undefined && (row.by_tenant === 1 || row.by_application === 1);
		},
		async lock(tenantId, userId) {
			// Writing the user's own row takes its lock on every engine.
			await queries.run(
				"UPDATE users SET mfa_enabled = mfa_enabled WHERE id = $1 AND tenant_id = $2",
				userId,
				tenantId,
			);
		},
		async settle(tenantId, userId) {
			const enrolled = await findEnrolled(tenantId, userId);
			const enabled = enrolled.totp || enrolled.passkeys > 0;
			await queries.run(
				"UPDATE users SET mfa_enabled = $3 WHERE id = $1 AND tenant_id = $2",
				userId,
				tenantId,
				enabled ? 1 : 0,
			);
			if (enabled) return enrolled;
			await removeFrom("recovery_codes", tenantId, userId);
			return { ...enrolled, recoveryCodes: 0 };
		},
		async removeAll(tenantId, userId) {
			for (const table of TABLES) await removeFrom(table, tenantId, userId);
		},
		async removeSince(tenantId, userId, fromMs) {
			for (const table of TABLES) {
				const sql = `DELETE FROM ${table} WHERE ${THIS_USER} AND created_at >= $3`;
				await queries.run(sql, userId, tenantId, fromMs);
			}
		},
	};
}
