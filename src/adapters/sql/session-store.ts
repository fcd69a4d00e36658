// Sessions in SQL: a session lives as long as its row.

import type { Session, SessionStore, SignedIn } from "../../features/auth/model.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { toUser, USER_COLUMNS, type UserRow } from "./user-store.ts";

interface SessionRow {
	id: string;
	tenant_id: string;
	user_id: string;
	app_id: string | null;
	refresh_digest: string;
	refresh_expires_at: number;
	absolute_expires_at: number;
	authenticated_at: number;
	amr: string;
	ip: string;
	user_agent: string;
	created_at: number;
	last_used_at: number;
}

const COLUMNS =
	"id, tenant_id, user_id, app_id, refresh_digest, refresh_expires_at, absolute_expires_at, authenticated_at, amr, ip, user_agent, created_at, last_used_at";

/** One row by two primary keys: all that a Bearer request asks of the database. */
const FIND_SIGNED_IN = `SELECT ${USER_COLUMNS}, s.app_id AS session_app_id
	FROM sessions s JOIN users u ON u.id = s.user_id
	WHERE s.id = $1 AND s.refresh_expires_at > $2 AND u.status = 'active'`;

export function createSessionStore(queries: Queries): SessionStore {
	return {
		async insert(session) {
			await queries.run(
				`INSERT INTO sessions (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
				session.id,
				session.tenantId,
				session.userId,
				session.appId,
				session.refreshDigest,
				session.refreshExpiresAtMs,
				session.absoluteExpiresAtMs,
				session.authenticatedAtMs,
				session.amr.join(","),
				session.ip,
				session.userAgent,
				session.createdAtMs,
				session.lastUsedAtMs,
			);
		},
		async findSignedIn(sessionId, nowMs) {
			const row = await queries.one<UserRow & { session_app_id: string | null }>(
				FIND_SIGNED_IN,
				sessionId,
				nowMs,
			);
			return row && toSignedIn(row, sessionId);
		},
		async findById(sessionId) {
			const row = await queries.one<SessionRow>(`SELECT ${COLUMNS} FROM sessions WHERE id = $1`, sessionId);
			return row && toSession(row);
		},
		async findByRefreshDigest(digest) {
			const row = await queries.one<SessionRow>(
				`SELECT ${COLUMNS} FROM sessions WHERE refresh_digest = $1`,
				digest,
			);
			return row && toSession(row);
		},
		async rotate(sessionId, fromDigest, to, origin, nowMs) {
			const changed = await queries.run(
				`UPDATE sessions SET refresh_digest = $3, refresh_expires_at = $4, ip = $5, user_agent = $6, last_used_at = $7
				 WHERE id = $1 AND refresh_digest = $2 AND refresh_expires_at > $7`,
				sessionId,
				fromDigest,
				to.digest,
				to.refreshExpiresAtMs,
				origin.ip,
				origin.userAgent,
				nowMs,
			);
			if (changed === 0) return false;
			await queries.run(
				`INSERT INTO used_refresh_tokens (digest, session_id, used_at, expires_at)
				 SELECT CAST($1 AS TEXT), id, CAST($3 AS BIGINT), absolute_expires_at FROM sessions WHERE id = $2`,
				fromDigest,
				sessionId,
				nowMs,
			);
			return true;
		},
		async findUsedRefresh(digest) {
			const row = await queries.one<{ session_id: string; used_at: number }>(
				"SELECT session_id, used_at FROM used_refresh_tokens WHERE digest = $1",
				digest,
			);
			return row && { sessionId: row.session_id, usedAtMs: row.used_at };
		},
		list(tenantId, userId, nowMs, page) {
			const filter = new Filter().add(
				"tenant_id = ? AND user_id = ? AND refresh_expires_at > ?",
				tenantId,
				userId,
				nowMs,
			);
			const order = "created_at DESC, id DESC";
			return listPage<SessionRow, Session>(
				queries,
				{ columns: COLUMNS, from: "sessions", order, filter },
				page,
				toSession,
			);
		},
		async hold(tenantId, userId, sessionId) {
			const sql =
				"UPDATE sessions SET last_used_at = last_used_at WHERE id = $1 AND user_id = $2 AND tenant_id = $3";
			return (await queries.run(sql, sessionId, userId, tenantId)) === 1;
		},
		async end(tenantId, userId, sessionId) {
			const sql = "DELETE FROM sessions WHERE id = $1 AND user_id = $2 AND tenant_id = $3";
			return (await queries.run(sql, sessionId, userId, tenantId)) === 1;
		},
		async endAll(tenantId, userId, nowMs, exceptSessionId = "") {
			await queries.run(
				"DELETE FROM pending_sign_ins WHERE user_id = $1 AND tenant_id = $2",
				userId,
				tenantId,
			);
			const ended = await queries.all<{ refresh_expires_at: number }>(
				"DELETE FROM sessions WHERE user_id = $1 AND tenant_id = $2 AND id <> $3 RETURNING refresh_expires_at",
				userId,
				tenantId,
				exceptSessionId,
			);
			return ended.filter((session) => session.refresh_expires_at > nowMs).length;
		},
		async purgeExpired(nowMs, limit) {
			const sessions = await queries.run(
				"DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE refresh_expires_at <= $1 LIMIT $2)",
				nowMs,
				limit,
			);
			const tokens = await queries.run(
				"DELETE FROM used_refresh_tokens WHERE digest IN (SELECT digest FROM used_refresh_tokens WHERE expires_at <= $1 LIMIT $2)",
				nowMs,
				limit,
			);
			return sessions + tokens;
		},
	};
}

function toSignedIn(row: UserRow & { session_app_id: string | null }, sessionId: string): SignedIn {
	return { user: toUser(row), tenantId: row.tenant_id, sessionId, appId: row.session_app_id };
}

function toSession(row: SessionRow): Session {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		userId: row.user_id,
		appId: row.app_id,
		refreshDigest: row.refresh_digest,
		refreshExpiresAtMs: row.refresh_expires_at,
		absoluteExpiresAtMs: row.absolute_expires_at,
		authenticatedAtMs: row.authenticated_at,
		amr: row.amr === "" ? [] : row.amr.split(","),
		ip: row.ip,
		userAgent: row.user_agent,
		createdAtMs: row.created_at,
		lastUsedAtMs: row.last_used_at,
	};
}
