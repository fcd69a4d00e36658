// Sign-ins under way with a provider, in SQL: who may go on is decided by single conditional statements.

import type { ThirdPartyAttempt, ThirdPartyAttemptStore } from "../../features/third-party/model.ts";
import type { Queries } from "./engine.ts";

interface AttemptRow {
	id: string;
	tenant_id: string;
	provider_id: string;
	app_id: string | null;
	redirect_uri: string;
	code_challenge: string;
	user_id: string | null;
	session_id: string | null;
	expires_at: number;
}

const COLUMNS =
	"id, tenant_id, provider_id, app_id, redirect_uri, code_challenge, user_id, session_id, expires_at";

export function createThirdPartyAttemptStore(queries: Queries): ThirdPartyAttemptStore {
	return {
		async insert(attempt) {
			await queries.run(
				`INSERT INTO third_party_attempts (${COLUMNS}, begin_digest, browser_digest)
				 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
				attempt.id,
				attempt.tenantId,
				attempt.providerId,
				attempt.appId,
				attempt.redirectUri,
				attempt.codeChallenge,
				attempt.linkTo?.userId ?? null,
				attempt.linkTo?.sessionId ?? null,
				attempt.expiresAtMs,
				attempt.beginDigest,
				attempt.browserDigest,
			);
		},
		async findBegun(beginDigest, nowMs) {
			const row = await queries.one<AttemptRow & { browser_digest: string | null }>(
				`SELECT ${COLUMNS}, browser_digest FROM third_party_attempts WHERE begin_digest = $1 AND expires_at > $2`,
				beginDigest,
				nowMs,
			);
			return row && { ...toAttempt(row), browserDigest: row.browser_digest };
		},
		async bind(id, { browserDigest, stateDigest, protocolSealed }, fromAny, nowMs) {
			const bound = await queries.run(
				`UPDATE third_party_attempts SET browser_digest = $2, state_digest = $3, protocol_sealed = $4
				 WHERE id = $1 AND expires_at > $5
				   AND (browser_digest IS NULL OR browser_digest = $2 OR CAST($6 AS INTEGER) = 1)`,
				id,
				browserDigest,
				stateDigest,
				protocolSealed,
				nowMs,
				Number(fromAny),
			);
			return bound === 1;
		},
		async take(stateDigest, browserDigest, nowMs) {
			const row = await queries.one<AttemptRow & { protocol_sealed: string }>(
				`DELETE FROM third_party_attempts WHERE state_digest = $1 AND browser_digest = $2 AND expires_at > $3
				 RETURNING ${COLUMNS}, protocol_sealed`,
				stateDigest,
				browserDigest,
				nowMs,
			);
			return row && { ...toAttempt(row), protocolSealed: row.protocol_sealed };
		},
		async remove(id) {
			return (await queries.run("DELETE FROM third_party_attempts WHERE id = $1", id)) === 1;
		},
		purge: (nowMs, limit) =>
			queries.run(
				`DELETE FROM third_party_attempts WHERE id IN
				 (SELECT id FROM third_party_attempts WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
				nowMs,
				limit,
			),
	};
}

function toAttempt(row: AttemptRow): ThirdPartyAttempt {
	const { user_id: userId, session_id: sessionId } = row;
	return {
		id: row.id,
		tenantId: row.tenant_id,
		providerId: row.provider_id,
		appId: row.app_id,
		redirectUri: row.redirect_uri,
		codeChallenge: row.code_challenge,
		linkTo: userId === null || sessionId === null ? null : { userId, sessionId },
		expiresAtMs: row.expires_at,
	};
}
