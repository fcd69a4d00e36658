// The brands of tenants in SQL.

import type { BrandStore } from "../../domain/brand.ts";
import type { Queries } from "../sql/engine.ts";
import { tenantBrands } from "../sql/tables/platform-tables.ts";

const put = tenantBrands.insertWith({
	onConflict: `(tenant_id) DO UPDATE SET product_name = excluded.product_name, logo_url = excluded.logo_url,
		accent_color = excluded.accent_color, support_email = excluded.support_email, sender_name = excluded.sender_name,
		sender_address = excluded.sender_address, updated_at = excluded.updated_at`,
});
const texts = tenantBrands.without("tenantId", "updatedAtMs");

export function createBrandStore(queries: Queries): BrandStore {
	return {
		find: (tenantId) => texts.find(queries, { tenantId }),
		async put(tenantId, brand, updatedAtMs) {
			await put(queries, { ...brand, tenantId, updatedAtMs });
		},
	};
}
