// Addresses that an allowlist in report mode would have refused, in SQL: one row for a client and address.

import {
	ALLOWLIST_MISSES_MAX,
	type AllowlistMiss,
	type AllowlistMissStore,
} from "../../features/api-clients/model.ts";
import type { Queries } from "./engine.ts";

const COUNT_MORE = `UPDATE allowlist_misses SET requests = requests + $3,
	first_seen_at = CASE WHEN first_seen_at < $4 THEN first_seen_at ELSE $4 END,
	last_seen_at = CASE WHEN last_seen_at > $5 THEN last_seen_at ELSE $5 END
	WHERE client_id = $1 AND ip = $2`;

/** Should another node have added the row meanwhile, its count grows. */
const COUNT_FIRST = `INSERT INTO allowlist_misses (client_id, ip, requests, first_seen_at, last_seen_at)
	SELECT id, CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT) FROM api_clients
	WHERE id = $1 AND (SELECT count(*) FROM allowlist_misses WHERE client_id = $1) < $6
	ON CONFLICT (client_id, ip) DO UPDATE SET requests = allowlist_misses.requests + excluded.requests`;

export function createAllowlistMissStore(queries: Queries): AllowlistMissStore {
	return {
		async add(misses) {
			for (const { clientId, ip, requests, firstSeenAtMs, lastSeenAtMs } of misses) {
				const values = [clientId, ip, requests, firstSeenAtMs, lastSeenAtMs] as const;
				if ((await queries.run(COUNT_MORE, ...values)) > 0) continue;
				await queries.run(COUNT_FIRST, ...values, ALLOWLIST_MISSES_MAX);
			}
		},
		async clear(tenantId, clientId) {
			await queries.run(
				`DELETE FROM allowlist_misses WHERE client_id = $1
				 AND EXISTS (SELECT 1 FROM api_clients WHERE id = $1 AND tenant_id = $2)`,
				clientId,
				tenantId,
			);
		},
		listAll: (tenantId, clientId) =>
			queries.all<AllowlistMiss>(
				`SELECT m.ip, m.requests, m.first_seen_at AS "firstSeenAtMs", m.last_seen_at AS "lastSeenAtMs"
				 FROM allowlist_misses AS m JOIN api_clients AS c ON c.id = m.client_id
				 WHERE m.client_id = $1 AND c.tenant_id = $2 ORDER BY m.requests DESC, m.ip`,
				clientId,
				tenantId,
			),
	};
}
