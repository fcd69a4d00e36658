// Scopes of access tokens. Those of an API are the permissions of its application's roles.

import { heldByRoles } from "./application-role.ts";

/** OpenID Connect Core, section 5.4, plus what applications need for authorization. */
export const OPENID_SCOPES = ["openid", "profile", "email", "roles", "offline_access"] as const;

/** Names of scopes for each resource (RFC 8707) that has any. */
export type ApiScopes = Readonly<Record<string, readonly string[]>>;

/** Whether the name means the same at every API, so that no permission can be requested by it. */
export function isOpenIdScope(name: string): boolean {
	return OPENID_SCOPES.some((scope) => scope === name);
}

/**
 * The scopes of an API: the permissions of its roles, sorted, without duplicates. Patterns such as `orders:*` and names
 * of OpenID scopes are none.
 */
export function scopesOfRoles(roles: readonly { readonly permissions: readonly string[] }[]): string[] {
	return [...heldByRoles(roles)].filter((name) => !name.includes("*") && !isOpenIdScope(name)).sort();
}

/** The part of `requested` that one of `known` has. @returns no entry for a resource without scopes. */
export function apiScopesIn(known: ApiScopes, requested: readonly string[]): ApiScopes {
	const asked = new Set(requested);
	const found = Object.entries(known).map(
		([resource, scopes]) => [resource, scopes.filter((scope) => asked.has(scope))] as const,
	);
	return Object.fromEntries(found.filter(([, scopes]) => scopes.length > 0));
}

export function joinedScopes(before: ApiScopes, added: ApiScopes): ApiScopes {
	const resources = new Set([...Object.keys(before), ...Object.keys(added)]);
	const joined = [...resources].map((resource) => {
		const scopes = new Set([...(before[resource] ?? []), ...(added[resource] ?? [])]);
		return [resource, [...scopes].sort()] as const;
	});
	return Object.fromEntries(joined);
}
