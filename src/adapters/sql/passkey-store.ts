// Passkeys in SQL, and the challenges they answer.

import type { Passkey, PasskeyChallengeStore, PasskeyStore } from "../../features/mfa/model.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";

interface PasskeyRow {
	id: string;
	tenant_id: string;
	user_id: string;
	name: string;
	credential_id: string;
	public_key: string;
	sign_count: number;
	transports: string;
	aaguid: string;
	synced: number;
	created_at: number;
	last_used_at: number | null;
}

const COLUMNS =
	"id, tenant_id, user_id, name, credential_id, public_key, sign_count, transports, aaguid, synced, created_at, last_used_at";
const NEWEST = "created_at DESC, id DESC";
const THIS_KEY = "id = $1 AND user_id = $2 AND tenant_id = $3";

export function createPasskeyStore(queries: Queries): PasskeyStore {
	return {
		async handleOf(tenantId, userId, fresh) {
			await queries.run(
				"INSERT INTO passkey_users (user_id, tenant_id, user_handle) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
				userId,
				tenantId,
				fresh,
			);
			const row = await queries.one<{ user_handle: string }>(
				"SELECT user_handle FROM passkey_users WHERE user_id = $1 AND tenant_id = $2",
				userId,
				tenantId,
			);
			if (row === undefined) throw new Error("a user handle could not be stored");
			return row.user_handle;
		},
		async insert(passkey) {
			const inserted = await queries.run(
				`INSERT INTO passkeys (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
				passkey.id,
				passkey.tenantId,
				passkey.userId,
				passkey.name,
				passkey.credentialId,
				passkey.publicKey,
				passkey.signCount,
				passkey.transports.join(","),
				passkey.aaguid,
				passkey.synced ? 1 : 0,
				passkey.createdAtMs,
				passkey.lastUsedAtMs,
			);
			return inserted === 1;
		},
		async findByCredential(tenantId, credentialId) {
			const row = await queries.one<PasskeyRow & { user_handle: string }>(
				`SELECT p.*, h.user_handle FROM passkeys p JOIN passkey_users h ON h.user_id = p.user_id
				 WHERE p.credential_id = $1 AND p.tenant_id = $2`,
				credentialId,
				tenantId,
			);
			return row && { ...toPasskey(row), userHandle: row.user_handle };
		},
		async listAll(tenantId, userId) {
			const rows = await queries.all<PasskeyRow>(
				`SELECT ${COLUMNS} FROM passkeys WHERE user_id = $1 AND tenant_id = $2 ORDER BY ${NEWEST}`,
				userId,
				tenantId,
			);
			return rows.map(toPasskey);
		},
		list(tenantId, userId, page) {
			const filter = new Filter().add("tenant_id = ? AND user_id = ?", tenantId, userId);
			return listPage<PasskeyRow, Passkey>(
				queries,
				{ columns: COLUMNS, from: "passkeys", order: NEWEST, filter },
				page,
				toPasskey,
			);
		},
		async rename(tenantId, userId, id, name) {
			const row = await queries.one<PasskeyRow>(
				`UPDATE passkeys SET name = $4 WHERE ${THIS_KEY} RETURNING ${COLUMNS}`,
				id,
				userId,
				tenantId,
				name,
			);
			return row && toPasskey(row);
		},
		async use({ id, userId, tenantId }, signCount, nowMs) {
			const used = await queries.run(
				`UPDATE passkeys SET sign_count = $4, last_used_at = $5
				 WHERE ${THIS_KEY} AND (sign_count < $4 OR (sign_count = 0 AND CAST($4 AS BIGINT) = 0))`,
				id,
				userId,
				tenantId,
				signCount,
				nowMs,
			);
			return used === 1;
		},
		async remove(tenantId, userId, id) {
			const row = await queries.one<PasskeyRow>(
				`DELETE FROM passkeys WHERE ${THIS_KEY} RETURNING ${COLUMNS}`,
				id,
				userId,
				tenantId,
			);
			return row && toPasskey(row);
		},
	};
}

export function createPasskeyChallengeStore(queries: Queries): PasskeyChallengeStore {
	return {
		async insert({ challengeDigest, tenantId, purpose, subject, expiresAtMs }) {
			await queries.run(
				"INSERT INTO passkey_challenges (challenge_digest, tenant_id, purpose, subject, expires_at) VALUES ($1, $2, $3, $4, $5)",
				challengeDigest,
				tenantId,
				purpose,
				subject,
				expiresAtMs,
			);
		},
		async consume({ challengeDigest, tenantId, purpose, subject }, nowMs) {
			const used = await queries.run(
				"DELETE FROM passkey_challenges WHERE challenge_digest = $1 AND tenant_id = $2 AND purpose = $3 AND subject = $4 AND expires_at > $5",
				challengeDigest,
				tenantId,
				purpose,
				subject,
				nowMs,
			);
			return used === 1;
		},
		purge: (nowMs, limit) =>
			queries.run(
				"DELETE FROM passkey_challenges WHERE challenge_digest IN (SELECT challenge_digest FROM passkey_challenges WHERE expires_at <= $1 LIMIT $2)",
				nowMs,
				limit,
			),
	};
}

function toPasskey(row: PasskeyRow): Passkey {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		userId: row.user_id,
		name: row.name,
		credentialId: row.credential_id,
		publicKey: row.public_key,
		signCount: row.sign_count,
		transports: row.transports === "" ? [] : row.transports.split(","),
		aaguid: row.aaguid,
		synced: row.synced === 1,
		createdAtMs: row.created_at,
		lastUsedAtMs: row.last_used_at,
	};
}
