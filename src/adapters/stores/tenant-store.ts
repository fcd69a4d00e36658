// Tenants and their brands in SQL.

import type { BrandStore } from "../../domain/brand.ts";
import { NEW_TENANT, type TenantStore } from "../../domain/tenant.ts";
import { Filter } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { tenantBrands, tenants } from "../sql/tables/platform-tables.ts";

export function createTenantStore(queries: Queries): TenantStore {
	return {
		insert: (tenant) => tenants.insertUnlessTaken(queries, { ...tenant, ...NEW_TENANT }),
		findById: (id) => tenants.find(queries, { id }),
		findBySlug: (slug) => tenants.find(queries, { slug }),
		isAnyTakingPrograms: () => tenants.exists(queries, "program_requests = 1"),
		listAll: () => tenants.all(queries, "1 = 1 ORDER BY created_at, id"),
		list: ({ q }, page) =>
			tenants.list(queries, { filter: new Filter().contains(["name_folded", "slug"], q) }, page),
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
