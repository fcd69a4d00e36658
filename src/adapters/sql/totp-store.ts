// TOTP factors in SQL: which code was used last is one conditional statement.

import type { TotpFactor, TotpStore } from "../../features/mfa/model.ts";
import type { Queries } from "./engine.ts";

interface TotpRow {
	id: string;
	tenant_id: string;
	user_id: string;
	secret_sealed: string;
	created_at: number;
}

const COLUMNS = "id, tenant_id, user_id, secret_sealed, created_at";
const THIS_USER = "user_id = $1 AND tenant_id = $2";

export function createTotpStore(queries: Queries): TotpStore {
	return {
		async putPending({ id, tenantId, userId, secretSealed, createdAtMs }, expiresAtMs) {
			// One statement on a row that is there: of two at once the second takes the first one's place.
			await queries.run(
				`INSERT INTO totp_factors (${COLUMNS}, status, last_used_step, expires_at) VALUES ($1, $2, $3, $4, $5, 'pending', 0, $6)
				 ON CONFLICT (user_id, status) DO UPDATE SET
					id = excluded.id, secret_sealed = excluded.secret_sealed, created_at = excluded.created_at, expires_at = excluded.expires_at`,
				id,
				tenantId,
				userId,
				secretSealed,
				createdAtMs,
				expiresAtMs,
			);
		},
		async findPending(tenantId, userId, nowMs) {
			const row = await queries.one<TotpRow>(
				`SELECT ${COLUMNS} FROM totp_factors WHERE ${THIS_USER} AND status = 'pending' AND expires_at > $3`,
				userId,
				tenantId,
				nowMs,
			);
			return row && toFactor(row);
		},
		async findActive(tenantId, userId) {
			const row = await queries.one<TotpRow>(
				`SELECT ${COLUMNS} FROM totp_factors WHERE ${THIS_USER} AND status = 'active'`,
				userId,
				tenantId,
			);
			return row && toFactor(row);
		},
		async activate({ id, tenantId, userId }, step, nowMs) {
			await queries.run(
				`DELETE FROM totp_factors WHERE ${THIS_USER} AND status = 'active' AND id <> $3`,
				userId,
				tenantId,
				id,
			);
			const changed = await queries.run(
				`UPDATE totp_factors SET status = 'active', last_used_step = $4, expires_at = NULL
				 WHERE ${THIS_USER} AND id = $3 AND status = 'pending' AND expires_at > $5`,
				userId,
				tenantId,
				id,
				step,
				nowMs,
			);
			return changed === 1;
		},
		async useStep({ id, tenantId }, step) {
			const used = await queries.run(
				"UPDATE totp_factors SET last_used_step = $3 WHERE id = $1 AND tenant_id = $2 AND status = 'active' AND last_used_step < $3",
				id,
				tenantId,
				step,
			);
			return used === 1;
		},
		async remove(tenantId, userId) {
			const removed = await queries.all<{ status: string }>(
				`DELETE FROM totp_factors WHERE ${THIS_USER} RETURNING status`,
				userId,
				tenantId,
			);
			return removed.some(({ status }) => status === "active");
		},
		purge: (nowMs, limit) =>
			queries.run(
				"DELETE FROM totp_factors WHERE id IN (SELECT id FROM totp_factors WHERE expires_at IS NOT NULL AND expires_at <= $1 LIMIT $2)",
				nowMs,
				limit,
			),
	};
}

function toFactor(row: TotpRow): TotpFactor {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		userId: row.user_id,
		secretSealed: row.secret_sealed,
		createdAtMs: row.created_at,
	};
}
