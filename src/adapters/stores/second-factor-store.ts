// The enrolled second factors of users, of all kinds, in SQL.

import { type EnrolledFactors, hasFactor, type SecondFactorStore } from "../../domain/second-factor.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { users } from "../sql/tables/account-tables.ts";
import { passkeys, recoveryCodes, totpFactors } from "../sql/tables/sign-in-tables.ts";

const ENROLLED = `SELECT
	(SELECT count(*) FROM totp_factors t WHERE t.user_id = $1 AND t.tenant_id = $2 AND t.status = 'active') AS totp,
	(SELECT count(*) FROM passkeys p WHERE p.user_id = $1 AND p.tenant_id = $2) AS passkeys,
	(SELECT count(*) FROM passkeys p WHERE p.user_id = $1 AND p.tenant_id = $2 AND p.automatic = 0) AS "chosenPasskeys",
	(SELECT count(*) FROM recovery_codes r WHERE r.user_id = $1 AND r.tenant_id = $2 AND r.used_at IS NULL) AS "recoveryCodes"`;
const REQUIRED = statement(
	`SELECT t.require_mfa AS by_tenant,
	(SELECT a.require_mfa FROM applications a WHERE a.id = $2 AND a.tenant_id = $1) AS by_application
	FROM tenants t WHERE t.id = $1`,
	{ reads: "cached" },
);
const SINCE = "user_id = $1 AND tenant_id = $2 AND created_at >= $3";

export function createSecondFactorStore(queries: Queries): SecondFactorStore {
	const findEnrolled = async (tenantId: string, userId: string): Promise<EnrolledFactors> => {
		type Row = Record<keyof EnrolledFactors, number>;
		const row = await queries.one<Row>(ENROLLED, userId, tenantId);
		if (row === undefined) throw new Error("factors could not be counted");
		return { ...row, totp: row.totp > 0 };
	};
	const removeSince = async (tenantId: string, userId: string, fromMs: number): Promise<void> => {
		for (const factors of [totpFactors, passkeys, recoveryCodes])
			await factors.delete(queries, SINCE, userId, tenantId, fromMs);
	};
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
			await users.lock(queries, { id: userId, tenantId });
		},
		async settle(tenantId, userId) {
			const enrolled = await findEnrolled(tenantId, userId);
			const mfaEnabled = hasFactor(enrolled);
			await users.update(queries, { mfaEnabled }, { id: userId, tenantId });
			if (mfaEnabled) return enrolled;
			await recoveryCodes.delete(queries, { userId, tenantId });
			return { ...enrolled, recoveryCodes: 0 };
		},
		removeAll: (tenantId, userId) => removeSince(tenantId, userId, 0),
		removeSince,
	};
}
