// Sessions in SQL: a session is valid as long as its row exists.

import {
	REFRESH_SLIDING_SECONDS,
	type Session,
	type SessionHolder,
	type SessionStore,
} from "../../domain/session.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { perShared } from "../../kernel/per-shared.ts";
import { columnOf, type Queries, statement } from "../sql/queries.ts";
import { after } from "../sql/table-columns.ts";
import { pendingSignIns, sessions, storedSessions, users } from "../sql/tables/account-tables.ts";
import { queueLogoutNotices } from "./logout-notice-store.ts";

interface SignedInRow {
	readonly sessionId: string;
	readonly sessionAppId: string | null;
	readonly sessionExpiresAtMs: number;
}

/** All that a Bearer request reads. The result does not depend on the clock, so it can be cached. */
const FIND_SIGNED_IN = statement(
	`SELECT ${users.as("u").columns}, s.id AS "sessionId", s.app_id AS "sessionAppId", s.refresh_expires_at AS "sessionExpiresAtMs"
	FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND u.status = 'active'`,
	{ reads: "cached", keyedBy: "sessions", idsIn: { users: "id" } },
);
/** All that a browser's request to a gate reads; every renewal writes these columns, and thereby discards the row. */
const FIND_BY_ID = statement(`SELECT ${sessions.columns} FROM sessions WHERE id = $1`, {
	reads: "cached",
	keyedBy: "sessions",
});
export const SESSION_STATEMENTS = [FIND_SIGNED_IN, FIND_BY_ID];
const EXTEND = `UPDATE sessions SET last_used_at = $2,
	refresh_expires_at = CASE WHEN absolute_expires_at < $3 THEN absolute_expires_at ELSE $3 END
	WHERE id = $1 AND refresh_expires_at > $2`;
const OF_USER = "user_id = $1 AND tenant_id = $2 AND id <> $3";
const END_ALL = `DELETE FROM sessions WHERE ${OF_USER} RETURNING refresh_expires_at`;
const OF_OTHER_ORIGIN = "user_id = $1 AND tenant_id = $2 AND (provider IS NULL OR provider <> $3)";
const USER_IDS =
	"SELECT DISTINCT user_id FROM sessions WHERE user_id > $1 AND tenant_id = $2 ORDER BY user_id LIMIT $3";
const OF_ISSUER = "tenant_id = $1 AND id IN (SELECT session_id FROM oauth_grants WHERE issuer_id = $2)";
const LOCK_DUE =
	"SELECT id, refresh_expires_at FROM sessions WHERE purge_at <= $1 ORDER BY purge_at LIMIT $2 FOR UPDATE SKIP LOCKED";
const queueForOne = queueLogoutNotices("g.session_id = $2");
const queueForUser = queueLogoutNotices(
	"g.session_id IN (SELECT id FROM sessions WHERE user_id = $2 AND tenant_id = $3 AND id <> $4)",
);
const queueForOtherOrigin = queueLogoutNotices(
	"g.session_id IN (SELECT id FROM sessions WHERE user_id = $2 AND tenant_id = $3 AND (provider IS NULL OR provider <> $4))",
);

/** The requests of a session share a cached row, and therefore the frozen user. */
const holderOf = perShared((row: SignedInRow): SessionHolder => {
	const user = users.read(row);
	const { sessionId, sessionAppId: appId } = row;
	return { user, tenantId: user.tenantId, sessionId, appId };
});

const sessionOf = perShared((row: object): Session => sessions.read(row));

export function createSessionStore(queries: Queries): SessionStore {
	return {
		insert: (session) =>
			storedSessions.insert(queries, { ...session, purgeAtMs: session.refreshExpiresAtMs }),
		async findSignedIn(sessionId, nowMs) {
			const row = await queries.one<SignedInRow>(FIND_SIGNED_IN, sessionId);
			if (row === undefined || row.sessionExpiresAtMs <= nowMs) return undefined;
			return holderOf(row);
		},
		async findById(sessionId) {
			const row = await queries.one<object>(FIND_BY_ID, sessionId);
			return row && sessionOf(row);
		},
		listUserIds: (tenantId, afterUserId, limit) => columnOf(queries, USER_IDS, afterUserId, tenantId, limit),
		rotate: (sessionId, fromGeneration, refreshExpiresAtMs, { ip, userAgent }, nowMs) =>
			sessions.updateOne(
				queries,
				{
					generation: fromGeneration + 1,
					rotatedAtMs: nowMs,
					refreshExpiresAtMs,
					ip,
					userAgent,
					lastUsedAtMs: nowMs,
				},
				{ id: sessionId, generation: fromGeneration, refreshExpiresAtMs: after(nowMs) },
			),
		extend: async (sessionId, nowMs) => {
			await queries.run(EXTEND, sessionId, nowMs, nowMs + REFRESH_SLIDING_SECONDS * SECOND_MS);
		},
		list(tenantId, userId, nowMs, page, onlyId) {
			const filter = sessions.matching({ tenantId, userId }).maybe("id = ?", onlyId);
			filter.add("refresh_expires_at > ?", nowMs);
			return sessions.list(queries, { filter }, page);
		},
		hold: async (tenantId, userId, sessionId) =>
			(await sessions.lock(queries, { id: sessionId, userId, tenantId })) === 1,
		async end(tenantId, userId, sessionId, nowMs) {
			const key = { id: sessionId, userId, tenantId };
			// Lock first: from now on, a sign-in to an application cannot add a grant to it.
			if ((await sessions.lock(queries, key)) === 0) return false;
			await queueForOne(queries, nowMs, sessionId);
			return await sessions.deleteOne(queries, key);
		},
		async endAll(tenantId, userId, nowMs, exceptSessionId = "") {
			await pendingSignIns.delete(queries, { userId, tenantId });
			const chosen = [userId, tenantId, exceptSessionId] as const;
			if ((await sessions.lock(queries, OF_USER, ...chosen)) === 0) return 0;
			await queueForUser(queries, nowMs, ...chosen);
			const ended = await queries.all<{ refresh_expires_at: number }>(END_ALL, ...chosen);
			return ended.filter((session) => session.refresh_expires_at > nowMs).length;
		},
		async endOfOtherOrigin(tenantId, userId, provider, nowMs) {
			await pendingSignIns.delete(queries, { userId, tenantId });
			const chosen = [userId, tenantId, provider] as const;
			if ((await sessions.lock(queries, OF_OTHER_ORIGIN, ...chosen)) === 0) return;
			await queueForOtherOrigin(queries, nowMs, ...chosen);
			await sessions.delete(queries, OF_OTHER_ORIGIN, ...chosen);
		},
		async endOfApplication(tenantId, userId, appId) {
			await pendingSignIns.delete(queries, { userId, tenantId, appId });
			return await sessions.delete(queries, { userId, tenantId, appId });
		},
		endAsserted: (tenantId, issuerId) => sessions.delete(queries, OF_ISSUER, tenantId, issuerId),
		purgeExpired: (nowMs, limit) => purgeDue(queries, nowMs, limit),
	};
}

/**
 * As a set, without rows that another transaction holds: nodes share the work. An expired session is never used again. One
 * that was extended is due again at its new expiry.
 */
async function purgeDue(queries: Queries, nowMs: number, limit: number): Promise<number> {
	const due = await queries.all<{ id: string; refresh_expires_at: number }>(LOCK_DUE, nowMs, limit);
	// Always as many parameters as the limit, so that one text of each statement is prepared.
	const list = (first: number): string =>
		Array.from({ length: limit }, (_, index) => `$${first + index}`).join(", ");
	const filled = (ids: readonly string[]): string[] =>
		Array.from({ length: limit }, (_, index) => ids[index] ?? (ids[0] as string));
	const [expired, extended] = [true, false].map((isExpired) =>
		due.filter((session) => session.refresh_expires_at <= nowMs === isExpired).map(({ id }) => id),
	) as [string[], string[]];
	if (extended.length > 0)
		await queries.run(
			`UPDATE sessions SET purge_at = refresh_expires_at WHERE id IN (${list(1)})`,
			...filled(extended),
		);
	if (expired.length > 0) {
		await queueLogoutNotices(`g.session_id IN (${list(2)})`)(queries, nowMs, ...filled(expired));
		await queries.run(`DELETE FROM sessions WHERE id IN (${list(1)})`, ...filled(expired));
	}
	return due.length;
}
