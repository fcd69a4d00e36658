// Identity providers in SQL.

import type { IdentityProviderStore } from "../../domain/identity-provider.ts";
import type { Queries } from "../sql/engine.ts";
import { Filter } from "../sql/page.ts";
import { tenants } from "../sql/tables/platform-tables.ts";
import {
	identityProviders,
	sealedIdentityProviders,
	thirdPartyAccounts,
} from "../sql/tables/third-party-tables.ts";

const THIS_PROVIDER = "id = $1 AND tenant_id = $2";
const OF_PROVIDER = "tenant_id = $1 AND provider = $2";
const OF_PLATFORM_ADMIN = `${OF_PROVIDER} AND EXISTS (SELECT 1 FROM users u WHERE u.id = third_party_accounts.user_id
	AND u.tenant_id = third_party_accounts.tenant_id AND (',' || u.roles || ',') LIKE '%,platform_admin,%')`;

export function createIdentityProviderStore(queries: Queries): IdentityProviderStore {
	return {
		async insert(provider, max) {
			// Under the lock of the tenant's row, so that two inserts never count the same providers.
			await tenants.lock(queries, "id = $1", provider.tenantId);
			const count = await identityProviders.count(queries, "tenant_id = $1", provider.tenantId);
			if (count >= max) return "too_many";
			return (await sealedIdentityProviders.insertUnlessTaken(queries, provider)) ? "inserted" : "taken";
		},
		findById: (tenantId, id) => sealedIdentityProviders.find(queries, THIS_PROVIDER, id, tenantId),
		findEnabled: (tenantId, provider) =>
			sealedIdentityProviders.find(queries, `${OF_PROVIDER} AND enabled = 1`, tenantId, provider),
		list(tenantId, page) {
			return identityProviders.list(queries, { filter: new Filter().add("tenant_id = ?", tenantId) }, page);
		},
		listEnabled: (tenantId) =>
			identityProviders.all(
				queries,
				"tenant_id = $1 AND enabled = 1 ORDER BY lower(display_name), id",
				tenantId,
			),
		update: (tenantId, id, changes, nowMs) =>
			sealedIdentityProviders.updateOne(
				queries,
				{ ...changes, updatedAtMs: nowMs },
				THIS_PROVIDER,
				id,
				tenantId,
			),
		hold: async (tenantId, id) => (await identityProviders.lock(queries, THIS_PROVIDER, id, tenantId)) === 1,
		hasAccounts: (tenantId, provider) => thirdPartyAccounts.exists(queries, OF_PROVIDER, tenantId, provider),
		standsForPlatformAdmin: (tenantId, provider) =>
			thirdPartyAccounts.exists(queries, OF_PLATFORM_ADMIN, tenantId, provider),
		remove: (tenantId, id) => identityProviders.deleteOne(queries, THIS_PROVIDER, id, tenantId),
	};
}
