// Reads the brand of a tenant, for mails and pages.

import { type Brand, brandOf } from "../../../domain/brand.ts";
import type { Needs } from "../../platform.ts";

export async function readBrand(
	{ db, brand: installation }: Needs<"brands" | "tenants", "brand">,
	tenantId: string,
): Promise<Brand> {
	const { brands, tenants } = db.stores;
	const [texts, tenant] = await Promise.all([brands.find(tenantId), tenants.findById(tenantId)]);
	return brandOf(installation, texts, tenant?.senderAddresses);
}
