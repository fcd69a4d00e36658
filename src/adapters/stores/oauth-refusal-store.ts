// Refused requests of OAuth clients in SQL.

import {
	OAUTH_REFUSALS_KEPT_MS,
	OAUTH_REFUSALS_MAX,
	OAUTH_REFUSALS_OF_CODE,
	type OAuthRefusalStore,
} from "../../domain/oauth-refusal.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { oauthRefusals } from "../sql/tables/oauth-tables.ts";

const insert = oauthRefusals.insertWith({
	where: "EXISTS (SELECT 1 FROM oauth_clients WHERE application_id = {clientId})",
	leavesCache: true,
});

/** Keeps the newest refusals of each error, and of those the newest overall. */
const PRUNE = statement(
	`DELETE FROM oauth_refusals WHERE client_id = $1 AND id NOT IN (
	SELECT id FROM (
		SELECT id, at, row_number() OVER (PARTITION BY code ORDER BY at DESC, id DESC) AS place
		FROM oauth_refusals WHERE client_id = $1
	) AS by_code WHERE place <= $2 ORDER BY at DESC, id DESC LIMIT $3)`,
	{ leavesCache: true },
);

export function createOAuthRefusalStore(queries: Queries): OAuthRefusalStore {
	return {
		async add(refusals) {
			for (const refusal of refusals) await insert(queries, refusal);
			// Sort, so that two nodes cannot deadlock.
			const clients = [...new Set(refusals.map(({ clientId }) => clientId))].sort();
			for (const clientId of clients)
				await queries.run(PRUNE, clientId, OAUTH_REFUSALS_OF_CODE, OAUTH_REFUSALS_MAX);
		},
		list(clientId, page) {
			const filter = oauthRefusals.matching({ clientId });
			return oauthRefusals.list(queries, { filter, order: "at DESC, id DESC" }, page);
		},
		purge: (nowMs, limit) => oauthRefusals.purge(queries, "at < $1", nowMs - OAUTH_REFUSALS_KEPT_MS, limit),
	};
}
