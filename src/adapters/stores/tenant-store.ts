// Tenants and their brands in SQL.

import type { BrandStore } from "../../domain/brand.ts";
import {
	DEFAULT_TENANT_SLUG,
	MANAGED_BY,
	type ManagedIds,
	NEW_TENANT,
	type TenantStore,
} from "../../domain/tenant.ts";
import { Filter } from "../sql/page.ts";
import { columnOf, type Queries } from "../sql/queries.ts";
import { tenantBrands, tenants } from "../sql/tables/platform-tables.ts";

/** Table, its column with the tenant, and the one with the mark. */
const MARKED = {
	groups: ["user_groups", "tenant_id", "managed_by"],
	identityProviders: ["identity_providers", "tenant_id", "managed_by"],
	applications: ["applications", "tenant_id", "managed_by"],
	webhooks: ["webhooks", "tenant_id", "managed_by"],
	tenants: ["tenants", "id", "managed_by"],
	brandings: ["tenants", "id", "branding_managed_by"],
} as const satisfies Readonly<Record<keyof ManagedIds, readonly [string, string, string]>>;

export function createTenantStore(queries: Queries): TenantStore {
	return {
		insert: (tenant) => tenants.insertUnlessTaken(queries, { ...tenant, ...NEW_TENANT }),
		findById: (id) => tenants.find(queries, { id }),
		findBySlug: (slug) => tenants.find(queries, { slug }),
		isAnyTakingPrograms: () => tenants.exists(queries, "program_requests = 1"),
		listAll: () => tenants.all(queries, "1 = 1 ORDER BY created_at, id"),
		list: ({ q }, page) =>
			tenants.list(queries, { filter: new Filter().contains(["name_folded", "slug"], q) }, page),
		// A row of the installation that all tenants share.
		async holdPlans() {
			await tenants.lock(queries, { slug: DEFAULT_TENANT_SLUG });
		},
		async markManaged(tenantId, ids) {
			let changed = 0;
			for (const [name, [table, key, column]] of Object.entries(MARKED)) {
				const ofTenant = `FROM ${table} WHERE ${key} = $1 AND ${column} IS NOT NULL`;
				const marked = new Set(await columnOf(queries, `SELECT id ${ofTenant}`, tenantId));
				const wanted = ids[name as keyof ManagedIds];
				const mark = `UPDATE ${table} SET ${column} = $3 WHERE ${key} = $1 AND id = $2`;
				for (const id of wanted)
					if (!marked.has(id)) changed += await queries.run(mark, tenantId, id, MANAGED_BY[0]);
				for (const id of marked) if (!wanted.has(id)) changed += await queries.run(mark, tenantId, id, null);
			}
			return changed;
		},
		update: (id, changes, nowMs) =>
			tenants.updateUnlessTaken(queries, { ...changes, updatedAtMs: nowMs }, { id }, "slug_taken"),
	};
}

const put = tenantBrands.insertWith({
	onConflict: `(tenant_id) DO UPDATE SET product_name = excluded.product_name, logo_url = excluded.logo_url,
		logo_dark_url = excluded.logo_dark_url, icon_url = excluded.icon_url, sign_in_text = excluded.sign_in_text,
		footer_links = excluded.footer_links, corner_radius = excluded.corner_radius, accent_color = excluded.accent_color, support_email = excluded.support_email, sender_name = excluded.sender_name,
		sender_address = excluded.sender_address, updated_at = excluded.updated_at`,
});
const texts = tenantBrands.without("tenantId", "updatedAtMs");

export function createBrandStore(queries: Queries): BrandStore {
	return {
		find: (tenantId) => texts.find(queries, { tenantId }),
		async lock(tenantId) {
			await tenants.lock(queries, { id: tenantId });
			return texts.find(queries, { tenantId });
		},
		async put(tenantId, brand, updatedAtMs) {
			await put(queries, { ...brand, tenantId, updatedAtMs });
		},
	};
}
