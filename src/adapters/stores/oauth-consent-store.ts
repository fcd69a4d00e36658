// Consents of users to applications in SQL.

import type { ListedConsent, OAuthConsentStore } from "../../domain/oauth-consent.ts";
import { joinedScopes } from "../../domain/oauth-scope.ts";
import { Filter, listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { oauthConsents } from "../sql/tables/oauth-tables.ts";

type NamedRow = ListedConsent["application"];

const consent = oauthConsents.as("c");
const LISTED = {
	columns: `${consent.columns}, a.kind, a.name, a.homepage_url AS "homepageUrl", a.logo_url AS "logoUrl"`,
	from: "oauth_consents c JOIN applications a ON a.id = c.client_id",
	order: "c.created_at DESC, c.id DESC",
};

export function createOAuthConsentStore(queries: Queries): OAuthConsentStore {
	return {
		find: (userId, clientId) => oauthConsents.find(queries, { userId, clientId }),
		list(tenantId, userId, page) {
			const filter = new Filter().add("c.user_id = ? AND c.tenant_id = ?", userId, tenantId);
			return listPage<NamedRow, ListedConsent>(queries, { ...LISTED, filter }, page, (row) => {
				const { kind, name, homepageUrl, logoUrl } = row;
				return { ...consent.read(row), application: { kind, name, homepageUrl, logoUrl } };
			});
		},
		hold: async (userId, clientId) => (await oauthConsents.lock(queries, { userId, clientId })) === 1,
		remove: (tenantId, userId, id) => oauthConsents.deleteReturning(queries, { id, userId, tenantId }),
		async add(given) {
			const { userId, clientId, updatedAtMs } = given;
			if (await oauthConsents.insertUnlessTaken(queries, given)) return;
			await oauthConsents.lock(queries, { userId, clientId });
			const before = await oauthConsents.find(queries, { userId, clientId });
			const scopes = [...new Set([...(before?.scopes ?? []), ...given.scopes])];
			const resources = [...new Set([...(before?.resources ?? []), ...given.resources])];
			const apiScopes = joinedScopes(before?.apiScopes ?? {}, given.apiScopes);
			const changes = { scopes, resources, apiScopes, updatedAtMs };
			await oauthConsents.update(queries, changes, { userId, clientId });
		},
	};
}
