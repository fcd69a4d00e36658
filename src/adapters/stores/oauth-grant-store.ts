// Grants of the OpenID provider in SQL.

import type { OAuthGrantStore } from "../../domain/oauth-record.ts";
import type { Queries } from "../sql/engine.ts";
import { oauthGrants } from "../sql/tables/oauth-tables.ts";

const grant = oauthGrants.as("g");
const FIND_LIVE = `SELECT ${grant.columns} FROM oauth_grants g JOIN sessions s ON s.id = g.session_id
	WHERE g.id = $1 AND g.expires_at > $2 AND s.refresh_expires_at > $2`;

export function createOAuthGrantStore(queries: Queries): OAuthGrantStore {
	return {
		insert: (row) => oauthGrants.insert(queries, row),
		async findLive(id, nowMs) {
			const row = await queries.one<object>(FIND_LIVE, id, nowMs);
			return row && grant.read(row);
		},
		hold: async (id) =>
			(await oauthGrants.lock(queries, { id })) === 1 ? oauthGrants.find(queries, { id }) : undefined,
		end: (id) => oauthGrants.deleteReturning(queries, { id }),
		endAll: (userId, clientId) => oauthGrants.delete(queries, { userId, clientId }),
		purge: (nowMs, limit) => oauthGrants.purge(queries, "expires_at <= $1", nowMs, limit),
	};
}
