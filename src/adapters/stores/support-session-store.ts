// Support sessions in SQL. A conditional UPDATE decides who opens one.

import {
	type ListedSupportSession,
	type StoredSupport,
	SUPPORT_KEPT_MS,
	type SupportSessionStore,
} from "../../domain/support-session.ts";
import { listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { storedSupportSessions, supportSessions, users } from "../sql/tables/account-tables.ts";

const OPEN = "opened_at IS NULL AND ended_at IS NULL";
const supporter = users.pick("id", "username", "status", "roles");
const FIND_OPEN = `SELECT ${supporter.as("u").columns}
	FROM support_sessions o JOIN users u ON u.id = o.supporter_id AND u.tenant_id = o.tenant_id
		JOIN sessions m ON m.id = o.made_in AND m.refresh_expires_at > $2
	WHERE o.id = $1 AND o.opened_at IS NOT NULL AND o.ended_at IS NULL AND o.expires_at > $2`;

const listed = supportSessions.as("o");
const LISTED = {
	columns: `${listed.columns}, u.username AS "username", s.username AS "supporterName", a.name AS "appName"`,
	from: `support_sessions o JOIN users u ON u.id = o.user_id LEFT JOIN users s ON s.id = o.supporter_id
		LEFT JOIN applications a ON a.id = o.app_id`,
	order: "o.created_at DESC, o.id DESC",
};
type Names = Pick<ListedSupportSession, "username" | "supporterName" | "appName">;

export function createSupportSessionStore(queries: Queries): SupportSessionStore {
	return {
		async countOpen(tenantId, supporterId, nowMs) {
			await users.lock(queries, { id: supporterId, tenantId });
			return supportSessions.count(
				queries,
				"supporter_id = $1 AND tenant_id = $2 AND ended_at IS NULL AND expires_at > $3",
				supporterId,
				tenantId,
				nowMs,
			);
		},
		insert: (session) => storedSupportSessions.insert(queries, session),
		open: (tokenDigest, madeIn, nowMs) =>
			supportSessions.updateReturning(
				queries,
				{ openedAtMs: nowMs },
				`token_digest = $1 AND made_in = $2 AND expires_at > $3 AND ${OPEN}`,
				tokenDigest,
				madeIn,
				nowMs,
			),
		async findOpen(id, nowMs) {
			const row = await queries.one<object>(FIND_OPEN, id, nowMs);
			if (row === undefined) return undefined;
			const { id: supporterId, username: supporterName, status, roles } = supporter.read(row);
			return {
				supporterId,
				supporterName,
				supporterStatus: status,
				supporterRoles: roles,
			} satisfies StoredSupport;
		},
		find: (tenantId, id) => supportSessions.find(queries, { id, tenantId }),
		end: (tenantId, id, nowMs) =>
			supportSessions.updateOne(
				queries,
				{ endedAtMs: nowMs },
				"id = $1 AND tenant_id = $2 AND ended_at IS NULL AND expires_at > $3",
				id,
				tenantId,
				nowMs,
			),
		list(tenantId, userId, page) {
			const filter = listed.matching({ tenantId }).maybe("o.user_id = ?", userId);
			return listPage<Names, ListedSupportSession>(queries, { ...LISTED, filter }, page, (row) => {
				const { username, supporterName, appName } = row;
				return { ...listed.read(row), username, supporterName, appName };
			});
		},
		purge: (nowMs, limit) =>
			supportSessions.purge(queries, "created_at <= $1", nowMs - SUPPORT_KEPT_MS, limit),
	};
}
