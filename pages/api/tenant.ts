// The tenant of the pages: the one whose slug the URL contains, or the signed-in user's.

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
	if (slug !== undefined) {
		setTenant(data.tenant.id);
		await loadBrand(data.tenant.id);
	}
	return data;
}

type TenantResponse = ResponseOf<"GET /auth/methods">;

/** Requested once per document: the frame and several screens show it. */
const tenants = new Map<string, Promise<TenantResponse>>();

/** The tenant with this id, by name and slug. */
export function useTenant(id: string | undefined): Query<TenantResponse> {
	return useQuery(id === undefined ? undefined : `GET /auth/methods ${id}`, () => {
		const tenantId = id ?? "";
		const known = tenants.get(tenantId);
		if (known !== undefined) return known;
		const response = send("GET", "/api/v1/auth/methods", { tenantId }) as Promise<TenantResponse>;
		tenants.set(tenantId, response);
		response.catch(() => tenants.delete(tenantId));
		return response;
	});
}

/** The slug for a URL; empty for the default tenant. */
export function namedSlug({ slug }: SignInMethods["tenant"]): string | undefined {
	return slug === DEFAULT_SLUG ? undefined : slug;
}
