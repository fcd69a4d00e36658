// Clients that acted for people, in SQL.

import type { ListedActor, OAuthActorStore } from "../../domain/oauth-actor.ts";
import { Filter, listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { oauthActors } from "../sql/tables/oauth-tables.ts";

const put = oauthActors.insertWith({
	where: `EXISTS (SELECT 1 FROM oauth_grants WHERE id = {0}) AND EXISTS (SELECT 1 FROM applications WHERE id = {1})
		AND EXISTS (SELECT 1 FROM applications WHERE id = {2})`,
	onConflict: `(grant_id, actor_id, api_id) DO UPDATE SET last_used_at = excluded.last_used_at
		WHERE oauth_actors.last_used_at < excluded.last_used_at`,
});

const actor = oauthActors.as("o");
const LISTED = {
	columns: `${actor.columns}, a.name AS "actorName", b.name AS "apiName", f.name AS "frontName"`,
	from: `oauth_actors o JOIN applications a ON a.id = o.actor_id JOIN applications b ON b.id = o.api_id
		JOIN oauth_grants g ON g.id = o.grant_id JOIN sessions s ON s.id = g.session_id
		JOIN applications f ON f.id = g.client_id`,
	order: "o.last_used_at DESC, o.id DESC",
};
type Names = Pick<ListedActor, "actorName" | "apiName" | "frontName">;

export function createOAuthActorStore(queries: Queries): OAuthActorStore {
	return {
		async note(actors) {
			// Sort, so that two nodes cannot deadlock.
			for (const noted of actors.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)))
				await put(queries, noted, noted.grantId, noted.actorId, noted.apiId);
		},
		list(tenantId, userId, nowMs, page) {
			const filter = new Filter()
				.add("o.user_id = ? AND o.tenant_id = ?", userId, tenantId)
				.add("g.expires_at > ? AND s.refresh_expires_at > ?", nowMs, nowMs);
			return listPage<object, ListedActor>(queries, { ...LISTED, filter }, page, (row) =>
				actor.readJoined<Names>(row),
			);
		},
		find: (tenantId, userId, id) => oauthActors.find(queries, { id, userId, tenantId }),
	};
}

function keyOf({ grantId, actorId, apiId }: Pick<ListedActor, "grantId" | "actorId" | "apiId">): string {
	return `${grantId} ${actorId} ${apiId}`;
}
