// Support sessions in SQL. A conditional UPDATE decides who opens one.

import {
	type ListedSupportSession,
	type StoredSupport,
	SUPPORT_KEPT_MS,
	type SupportSessionStore,
} from "../../domain/support-session.ts";
import { listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { after } from "../sql/table-columns.ts";
import { storedSupportSessions, supportSessions, users } from "../sql/tables/account-tables.ts";

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
			return supportSessions.count(queries, {
				supporterId,
				tenantId,
				endedAtMs: null,
				expiresAtMs: after(nowMs),
			});
		},
		insert: (session) => storedSupportSessions.insert(queries, session),
		open: (tokenDigest, madeIn, nowMs) =>
			supportSessions.updateReturning(
				queries,
				{ openedAtMs: nowMs },
				{ tokenDigest, madeIn, expiresAtMs: after(nowMs), openedAtMs: null, endedAtMs: null },
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
				{ id, tenantId, endedAtMs: null, expiresAtMs: after(nowMs) },
			),
		list(tenantId, userId, page) {
			const filter = listed.matching({ tenantId }).maybe("o.user_id = ?", userId);
			return listPage<object, ListedSupportSession>(queries, { ...LISTED, filter }, page, (row) =>
				listed.readJoined<Names>(row),
			);
		},
		purge: (nowMs, limit) =>
			supportSessions.purge(queries, "created_at <= $1", nowMs - SUPPORT_KEPT_MS, limit),
	};
}
