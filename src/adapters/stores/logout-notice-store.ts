// Back-channel logout notices in SQL: queued when a session is revoked, claimed, and finished.

import {
	type ClaimedLogoutNotice,
	LOGOUT_GIVE_UP_MS,
	type LogoutNoticeStore,
} from "../../domain/logout-notice.ts";
import type { IdTokenAlg } from "../../domain/oauth-client.ts";
import { type DeliveryBacklog, NO_BACKLOG } from "../../domain/webhook-delivery.ts";
import type { Queries, SqlValue } from "../sql/queries.ts";
import { logoutNotices } from "../sql/tables/oauth-tables.ts";

const ERROR_MAX = 500;

const claimed = logoutNotices.pick("sessionId", "clientId", "tenantId", "userId", "attempts", "giveUpAtMs");

/** `$1` is the time; the condition uses the parameters after it. */
const queueWhere = (
	condition: string,
): string => `INSERT INTO logout_notices (session_id, client_id, tenant_id, user_id, attempts,
	  next_attempt_at, give_up_at, last_error, created_at)
	SELECT DISTINCT g.session_id, g.client_id, g.tenant_id, g.user_id, 0,
	  CAST($1 AS BIGINT), CAST($1 AS BIGINT) + ${LOGOUT_GIVE_UP_MS}, '', CAST($1 AS BIGINT)
	FROM oauth_grants g JOIN oauth_clients c ON c.application_id = g.client_id
	WHERE c.backchannel_logout_uri IS NOT NULL AND g.issuer_id IS NULL AND ${condition}`;
/** Steps from client to client in the index, so the cost depends on the clients with notices, not on the notices. */
const LIST_DUE = `WITH RECURSIVE waiting (id) AS (
	  SELECT min(client_id) FROM logout_notices
	  UNION ALL
	  SELECT (SELECT min(n.client_id) FROM logout_notices n WHERE n.client_id > w.id) FROM waiting w WHERE w.id IS NOT NULL)
	SELECT w.id, c.backchannel_logout_uri AS uri, COALESCE(c.id_token_alg, '') AS "idTokenAlg",
	  CASE WHEN EXISTS (SELECT 1 FROM logout_notices f WHERE f.client_id = w.id AND f.last_error <> '') THEN 1 ELSE 0 END AS failing
	FROM waiting w LEFT JOIN oauth_clients c ON c.application_id = w.id
	WHERE EXISTS (SELECT 1 FROM logout_notices d WHERE d.client_id = w.id AND d.next_attempt_at <= $1)`;
/** After a wait for another node, only the outer conditions are evaluated again, so they are repeated. */
const CLAIM = `UPDATE logout_notices SET next_attempt_at = $3, attempts = attempts + 1
	WHERE client_id = $1 AND next_attempt_at <= $2 AND session_id IN
	  (SELECT session_id FROM logout_notices WHERE client_id = $1 AND next_attempt_at <= $2
	   ORDER BY next_attempt_at, session_id LIMIT $4)
	RETURNING ${claimed.columns}`;

const BACKLOG = `SELECT count(*) AS waiting, min(created_at) AS "oldestAtMs", min(next_attempt_at) AS "nextAtMs"
	FROM logout_notices`;

interface DueRow {
	readonly id: string;
	readonly uri: string | null;
	readonly idTokenAlg: IdTokenAlg;
	readonly failing: number;
}

/**
 * Queues a notice for each client of sessions that accepts one, and knows the session from an ID token. Call it before the
 * sessions are deleted, which deletes their grants. The caller locks the sessions, so that no grant is added in the meantime.
 *
 * @param condition on `g.session_id`, with parameters from `$2`. @returns a function that runs the statement.
 */
export function queueLogoutNotices(
	condition: string,
): (queries: Queries, nowMs: number, ...parameters: SqlValue[]) => Promise<number> {
	const sql = queueWhere(condition);
	return (queries, nowMs, ...parameters) => queries.run(sql, nowMs, ...parameters);
}

export function createLogoutNoticeStore(queries: Queries): LogoutNoticeStore {
	return {
		backlog: async () => (await queries.one<DeliveryBacklog>(BACKLOG)) ?? NO_BACKLOG,
		async listDue(nowMs) {
			const rows = await queries.all<DueRow>(LIST_DUE, nowMs);
			return rows.map(({ failing, ...client }) => ({ ...client, isFailing: failing === 1 }));
		},
		claim: (clientId, nowMs, limit, leaseMs) =>
			queries.all<ClaimedLogoutNotice>(CLAIM, clientId, nowMs, nowMs + leaseMs, limit),
		finish: (notice) => logoutNotices.deleteOne(queries, keyOf(notice)),
		retry: (notice, nextAttemptAtMs, error) =>
			logoutNotices.updateOne(
				queries,
				{ nextAttemptAtMs, lastError: error.slice(0, ERROR_MAX) },
				keyOf(notice),
			),
		drop: (clientId) => logoutNotices.delete(queries, { clientId }),
	};
}

/** Matches only this claim. */
function keyOf({ sessionId, clientId, attempts }: ClaimedLogoutNotice) {
	return { sessionId, clientId, attempts };
}
