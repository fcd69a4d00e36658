// The guard of public endpoints that act inside a tenant: nobody is known yet, but the tenant is.

import type { Guard } from "../../http/guard.ts";
import { AppError } from "../../kernel/error.ts";
import { parseId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { DEFAULT_TENANT_SLUG, type TenantStore, type Visitor } from "./model.ts";

/** The tenant of `X-Tenant-ID`, or `default`. An id that is malformed or unknown is 404, never a fallback. */
export function visitorGuard(db: Persistence<{ tenants: TenantStore }>): Guard<Visitor> {
	let fallback: Visitor | undefined;
	return {
		security: "none",
		allows: "everybody",
		errors: ["tenant.not_found"],
		needsBody: false,
		async admit(request) {
			const header = request.headers["x-tenant-id"];
			if (header === undefined) {
				fallback ??= { tenantId: await defaultTenantId(db) };
				return fallback;
			}
			const id = parseId(String(header));
			const tenant = id === undefined ? undefined : await db.stores.tenants.findById(id);
			if (tenant === undefined) throw new AppError("tenant.not_found", "X-Tenant-ID names no tenant");
			return { tenantId: tenant.id };
		},
	};
}

/** Made by the first start and never removed; its absence is a broken database, not a caller's fault. */
async function defaultTenantId(db: Persistence<{ tenants: TenantStore }>): Promise<string> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) throw new Error("the default tenant is missing");
	return tenant.id;
}
