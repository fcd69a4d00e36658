// Sign-ins that wait for a second factor, in SQL: tries and use are decided by single conditional statements.

import { MFA_TOKEN_TRIES, type PendingSignIn, type PendingSignInStore } from "../../features/auth/model.ts";
import type { Queries } from "./engine.ts";

interface PendingRow {
	token_digest: string;
	tenant_id: string;
	user_id: string;
	app_id: string | null;
	amr: string;
	enrolment: number;
	expires_at: number;
	created_at: number;
}

const COLUMNS = "token_digest, tenant_id, user_id, app_id, amr, enrolment, expires_at, created_at";

export function createPendingSignInStore(queries: Queries): PendingSignInStore {
	return {
		async insert(pending) {
			await queries.run(
				`INSERT INTO pending_sign_ins (${COLUMNS}, tries_left) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
				pending.tokenDigest,
				pending.tenantId,
				pending.userId,
				pending.appId,
				pending.amr.join(","),
				pending.enrolment ? 1 : 0,
				pending.expiresAtMs,
				pending.createdAtMs,
				MFA_TOKEN_TRIES,
			);
		},
		async find(tokenDigest, nowMs) {
			const row = await queries.one<PendingRow>(
				`SELECT ${COLUMNS} FROM pending_sign_ins WHERE token_digest = $1 AND expires_at > $2 AND tries_left > 0`,
				tokenDigest,
				nowMs,
			);
			return row && toPending(row);
		},
		async takeTry(tokenDigest, nowMs) {
			const taken = await queries.run(
				"UPDATE pending_sign_ins SET tries_left = tries_left - 1 WHERE token_digest = $1 AND expires_at > $2 AND tries_left > 0",
				tokenDigest,
				nowMs,
			);
			return taken === 1;
		},
		async consume(tokenDigest, nowMs) {
			const used = await queries.run(
				"DELETE FROM pending_sign_ins WHERE token_digest = $1 AND expires_at > $2",
				tokenDigest,
				nowMs,
			);
			return used === 1;
		},
		purge: (nowMs, limit) =>
			queries.run(
				"DELETE FROM pending_sign_ins WHERE token_digest IN (SELECT token_digest FROM pending_sign_ins WHERE expires_at <= $1 LIMIT $2)",
				nowMs,
				limit,
			),
	};
}

function toPending(row: PendingRow): PendingSignIn {
	return {
		tokenDigest: row.token_digest,
		tenantId: row.tenant_id,
		userId: row.user_id,
		appId: row.app_id,
		amr: row.amr.split(","),
		enrolment: row.enrolment === 1,
		expiresAtMs: row.expires_at,
		createdAtMs: row.created_at,
	};
}
