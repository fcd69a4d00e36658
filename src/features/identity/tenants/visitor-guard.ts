// The guard of public endpoints that act inside a tenant.

import { anonymousCaller } from "../../../domain/caller.ts";
import type { Db } from "../../../domain/stores.ts";
import { DEFAULT_TENANT_SLUG, type Visitor } from "../../../domain/tenant.ts";
import type { Guard } from "../../../http/describe/guard.ts";
import { plain } from "../../../http/describe/schema.ts";
import { AppError } from "../../../kernel/error.ts";
import { parseId } from "../../../kernel/id.ts";

const TENANT_HEADER = {
	isRequired: false,
	schema: plain({ format: "uuid", description: "The tenant. Without this header, the tenant `default`." }),
};

/** Admits to the tenant of `X-Tenant-ID`, or to `default` without it. A malformed or unknown id returns 404. */
export function visitorGuard(db: Db<"tenants">): Guard<Visitor> {
	let fallback: string | undefined;
	return {
		security: "none",
		transport: "confidential",
		allows: "everybody",
		errors: ["tenant.not_found"],
		headers: { "X-Tenant-ID": TENANT_HEADER },
		async admit(request) {
			const header = request.headers["x-tenant-id"];
			if (header === undefined) {
				fallback ??= await defaultTenantId(db);
				request.tenantId = fallback;
				return anonymousCaller(fallback, request);
			}
			const id = parseId(String(header));
			const tenant = id === undefined ? undefined : await db.stores.tenants.findById(id);
			if (tenant === undefined) throw new AppError("tenant.not_found", "X-Tenant-ID names no tenant");
			request.tenantId = tenant.id;
			return anonymousCaller(tenant.id, request);
		},
	};
}

/** The first start creates the tenant, and it cannot be deleted, so a database without it is corrupt. */
async function defaultTenantId(db: Db<"tenants">): Promise<string> {
	const tenant = await db.stores.tenants.findBySlug(DEFAULT_TENANT_SLUG);
	if (tenant === undefined) throw new Error("the default tenant is missing");
	return tenant.id;
}
