// Finds a tenant by its slug.

import type { Db } from "../domain/stores.ts";
import { DEFAULT_TENANT_SLUG } from "../domain/tenant.ts";
import { StartError } from "../kernel/start-error.ts";

/** @throws StartError (`not_found`). */
export async function getTenantId(db: Pick<Db<"tenants">, "stores">, slug: string): Promise<string> {
	const tenant = await db.stores.tenants.findBySlug(slug);
	if (tenant !== undefined) return tenant.id;
	const message =
		slug === DEFAULT_TENANT_SLUG
			? "there are no accounts yet; start the service once first"
			: `there is no tenant ${JSON.stringify(slug)}`;
	throw new StartError(message, { kind: "not_found" });
}
