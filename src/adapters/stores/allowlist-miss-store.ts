// IP addresses that an allowlist in report mode would have refused, in SQL: one row per client and address.

import { ALLOWLIST_MISSES_MAX, type AllowlistMissStore } from "../../domain/allowlist.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { allowlistMisses } from "../sql/tables/partner-tables.ts";

const misses = allowlistMisses.without("tenantId", "clientId");
const OF_CLIENT = "client_id = $1 AND tenant_id = $2";

const COUNT_MORE = statement(
	`UPDATE allowlist_misses SET requests = requests + $3,
	first_seen_at = CASE WHEN first_seen_at < $4 THEN first_seen_at ELSE $4 END,
	last_seen_at = CASE WHEN last_seen_at > $5 THEN last_seen_at ELSE $5 END
	WHERE client_id = $1 AND ip = $2`,
	{ leavesCache: true },
);

/** Adds to the row if another node has inserted it in the meantime. */
const COUNT_FIRST = statement(
	`INSERT INTO allowlist_misses (tenant_id, client_id, ip, requests, first_seen_at, last_seen_at)
	SELECT tenant_id, id, CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT) FROM api_clients
	WHERE id = $1 AND (SELECT count(*) FROM allowlist_misses WHERE client_id = $1) < $6
	ON CONFLICT (client_id, ip) DO UPDATE SET requests = allowlist_misses.requests + excluded.requests`,
	{ leavesCache: true },
);

export function createAllowlistMissStore(queries: Queries): AllowlistMissStore {
	return {
		async add(added) {
			const keyOf = ({ clientId, ip }: (typeof added)[number]): string => `${clientId} ${ip}`;
			// Sort, so that two nodes cannot deadlock.
			const sorted = added.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
			for (const { clientId, ip, requests, firstSeenAtMs, lastSeenAtMs } of sorted) {
				const values = [clientId, ip, requests, firstSeenAtMs, lastSeenAtMs] as const;
				if ((await queries.run(COUNT_MORE, ...values)) > 0) continue;
				await queries.run(COUNT_FIRST, ...values, ALLOWLIST_MISSES_MAX);
			}
		},
		async clear(tenantId, clientId) {
			await misses.delete(queries, OF_CLIENT, clientId, tenantId);
		},
		listAll: (tenantId, clientId) =>
			misses.all(queries, `${OF_CLIENT} ORDER BY requests DESC, ip`, clientId, tenantId),
	};
}
