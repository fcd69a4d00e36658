// The tenant of the pages: the one whose slug the URL contains, or the signed-in user's.

import { readOfTab, writeOfTab } from "../stored.ts";
import { loadBrand } from "./brand.ts";
import { type Query, useQuery } from "./query.ts";
import { send, setTenant } from "./request.ts";
import type { ResponseOf, Schemas } from "./routes.ts";

/** For requests that name no tenant. */
const DEFAULT_SLUG = "default";

export type SignInMethods = Schemas["SignInMethods"];

/**
 * The tenant with this slug; without a slug the default tenant. Later calls before sign-in, and the brand, use it.
 *
 * @throws ApiError `tenant.not_found`
 */
export async function openTenant(slug: string | undefined): Promise<SignInMethods> {
	const query = slug === undefined ? "" : `?${new URLSearchParams({ tenant: slug })}`;
	const { data } = (await send("GET", `/api/v1/auth/methods${query}`)) as ResponseOf<"GET /auth/methods">;
	keepTenant(data.tenant);
	if (slug !== undefined) {
		setTenant(data.tenant.id);
		await loadBrand(data.tenant.id);
	}
	return data;
}

type Tenant = SignInMethods["tenant"];

const KEY = "latchkey.tenant";
/** Of this document, also if the browser stores nothing. */
const tenants = new Map<string, Promise<Tenant>>();

/** The tenant with this id, by name and slug: the frame and several screens show it. Requested once per tab. */
export function useTenant(id: string | undefined): Query<Tenant> {
	return useQuery(id === undefined ? undefined : `GET /auth/methods ${id}`, async () => {
		const tenantId = id ?? "";
		const kept = JSON.parse(readOfTab(KEY) ?? "null") as Tenant | null;
		const known = tenants.get(tenantId) ?? (kept?.id === tenantId ? kept : undefined);
		if (known !== undefined) return known;
		const response = requestTenant(tenantId);
		tenants.set(tenantId, response);
		response.catch(() => tenants.delete(tenantId));
		return response;
	});
}

async function requestTenant(tenantId: string): Promise<Tenant> {
	const response = await send("GET", "/api/v1/auth/methods", { tenantId });
	const { tenant } = (response as ResponseOf<"GET /auth/methods">).data;
	keepTenant(tenant);
	return tenant;
}

/** After it was read or changed. */
export function keepTenant({ id, slug, name }: Tenant): void {
	const tenant = { id, slug, name };
	tenants.set(id, Promise.resolve(tenant));
	writeOfTab(KEY, JSON.stringify(tenant));
}

/** The slug for a URL; empty for the default tenant. */
export function namedSlug({ slug }: Tenant): string | undefined {
	return slug === DEFAULT_SLUG ? undefined : slug;
}
