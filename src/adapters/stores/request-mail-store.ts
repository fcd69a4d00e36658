// When reviewers are mailed about requests, in SQL. The row of a reviewer orders requests and digests.

import { DIGEST_DELAYS_MS, type RequestMailStore } from "../../domain/request-mails.ts";
import type { Queries } from "../sql/queries.ts";
import { upTo } from "../sql/table-columns.ts";
import { requestMails } from "../sql/tables/request-tables.ts";

const put = requestMails.insertWith({
	onConflict: `(user_id) DO UPDATE SET frequency = excluded.frequency,
		due_at = CASE WHEN request_mails.due_at IS NULL THEN request_mails.due_at ELSE {0} END`,
});
const POSTPONE = `UPDATE request_mails SET due_at = COALESCE(due_at,
		CASE frequency WHEN 'hourly' THEN CAST($3 AS BIGINT) ELSE CAST($4 AS BIGINT) END)
	WHERE user_id = $1 AND tenant_id = $2 AND frequency <> 'at_once'`;
const due = requestMails.pick("tenantId", "userId");

export function createRequestMailStore(queries: Queries): RequestMailStore {
	return {
		async frequencyOf(tenantId, userId) {
			return (await requestMails.find(queries, { userId, tenantId }))?.frequency ?? "at_once";
		},
		async set(tenantId, userId, frequency, nowMs) {
			await put(queries, { userId, tenantId, frequency, dueAtMs: null }, nowMs);
		},
		async postpone(tenantId, userId, nowMs) {
			const [hourly, daily] = [nowMs + DIGEST_DELAYS_MS.hourly, nowMs + DIGEST_DELAYS_MS.daily];
			return (await queries.run(POSTPONE, userId, tenantId, hourly, daily)) === 1;
		},
		listDue: (nowMs, limit) =>
			due.all(queries, "due_at <= $1 ORDER BY due_at, user_id LIMIT $2", nowMs, limit),
		claim: ({ tenantId, userId }, nowMs) =>
			requestMails.updateOne(queries, { dueAtMs: null }, { userId, tenantId, dueAtMs: upTo(nowMs) }),
	};
}
