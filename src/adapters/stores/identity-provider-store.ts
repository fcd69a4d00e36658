// Identity providers in SQL.

import { type IdentityProviderStore, isTrustedFor } from "../../domain/identity-provider.ts";
import { perShared } from "../../kernel/per-shared.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { tenants } from "../sql/tables/platform-tables.ts";
import {
	sealedIdentityProviders as providers,
	identityProviders as shownProviders,
	thirdPartyAccounts,
} from "../sql/tables/third-party-tables.ts";

/** Starts from the few users with roles, and then finds their accounts. */
const OF_PLATFORM_ADMIN = `('' || tenant_id) = $1 AND provider = $2 AND user_id IN (SELECT id FROM users
	WHERE tenant_id = $1 AND roles <> '' AND (',' || roles || ',') LIKE '%,platform_admin,%')`;

/** Every redeemed assertion reads this. */
const LIST_ASSERTING = statement(
	`SELECT ${shownProviders.columns} FROM identity_providers
	WHERE tenant_id = $1 AND enabled = 1 AND uses LIKE '%,assertions,%' ORDER BY created_at, id`,
	{ reads: "cached" },
);

/** Requests share a cached row, and therefore the frozen issuer with its keys. */
const shared = perShared((row: object) => shownProviders.read(row));

export function createIdentityProviderStore(queries: Queries): IdentityProviderStore {
	return {
		async insert(provider, max) {
			const { tenantId } = provider;
			// Lock the tenant, so that two inserts cannot count the same providers.
			await tenants.lock(queries, { id: tenantId });
			if ((await providers.count(queries, { tenantId })) >= max) return "too_many";
			if (await providers.insertUnlessTaken(queries, provider)) return "inserted";
			const { provider: slug } = provider;
			return (await providers.exists(queries, { tenantId, provider: slug })) ? "taken" : "issuer_taken";
		},
		findById: (tenantId, id) => providers.find(queries, { id, tenantId }),
		async findEnabled(tenantId, provider) {
			const found = await providers.find(queries, { tenantId, provider, enabled: true });
			return found && isTrustedFor(found, "sign_in") ? found : undefined;
		},
		list: (tenantId, page) =>
			shownProviders.list(queries, { filter: shownProviders.matching({ tenantId }) }, page),
		listEnabled: (tenantId) =>
			shownProviders.all(
				queries,
				"tenant_id = $1 AND enabled = 1 AND uses LIKE '%,sign_in,%' ORDER BY lower(display_name), id",
				tenantId,
			),
		async listAsserting(tenantId) {
			const rows = await queries.all<object>(LIST_ASSERTING, tenantId);
			return rows.map(shared);
		},
		update: (tenantId, id, changes, nowMs) =>
			providers.updateUnlessTaken(
				queries,
				{ ...changes, updatedAtMs: nowMs },
				{ id, tenantId },
				"issuer_taken",
			),
		recordTest: ({ tenantId, id, updatedAtMs }, lastTest) =>
			providers.updateOne(queries, { lastTest }, { id, tenantId, updatedAtMs }),
		hold: async (tenantId, id) => (await providers.lock(queries, { id, tenantId })) === 1,
		hasAccounts: (tenantId, provider) => thirdPartyAccounts.exists(queries, { tenantId, provider }),
		authenticatesPlatformAdmin: (tenantId, provider) =>
			thirdPartyAccounts.exists(queries, OF_PLATFORM_ADMIN, tenantId, provider),
		remove: (tenantId, id) => providers.deleteOne(queries, { id, tenantId }),
	};
}
