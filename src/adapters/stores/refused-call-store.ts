// Refused calls of API clients in SQL.

import {
	REFUSED_CALLS_KEPT_MS,
	REFUSED_CALLS_OF_CODE,
	REFUSED_CALLS_OF_KIND,
	type RefusedCallStore,
} from "../../domain/refused-call.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { refusedCalls } from "../sql/tables/partner-tables.ts";

const insert = refusedCalls.insertWith({
	where: "EXISTS (SELECT 1 FROM api_clients WHERE id = {clientId} AND tenant_id = {tenantId})",
	leavesCache: true,
});

/** Keeps the newest calls of each kind and code, and of those the newest of each kind. */
const PRUNE = statement(
	`DELETE FROM refused_calls WHERE client_id = $1 AND id NOT IN (
	SELECT id FROM (
		SELECT id, row_number() OVER (PARTITION BY signature_valid ORDER BY at DESC, id DESC) AS place
		FROM (
			SELECT id, at, signature_valid,
				row_number() OVER (PARTITION BY signature_valid, code ORDER BY at DESC, id DESC) AS place_of_code
			FROM refused_calls WHERE client_id = $1
		) AS by_code WHERE place_of_code <= $2
	) AS by_kind WHERE place <= $3)`,
	{ leavesCache: true },
);

export function createRefusedCallStore(queries: Queries): RefusedCallStore {
	return {
		async add(calls) {
			for (const call of calls) await insert(queries, call);
			// Sort, so that two nodes cannot deadlock.
			const clients = [...new Set(calls.map(({ clientId }) => clientId))].sort();
			for (const clientId of clients)
				await queries.run(PRUNE, clientId, REFUSED_CALLS_OF_CODE, REFUSED_CALLS_OF_KIND);
		},
		list(tenantId, clientId, page) {
			const filter = refusedCalls.matching({ tenantId, clientId });
			return refusedCalls.list(queries, { filter, order: "at DESC, id DESC" }, page);
		},
		purge: (nowMs, limit) => refusedCalls.purge(queries, "at < $1", nowMs - REFUSED_CALLS_KEPT_MS, limit),
	};
}
