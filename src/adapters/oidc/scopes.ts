// Scopes of APIs in requests and tokens. The library knows only scopes in its configuration, and grants only
// requested ones.

import { type Context, errors, type Issued, type Params } from "oidc-provider";
import { LISTED_MAX } from "../../domain/access.ts";
import type { RequestedConsent, RequestedScopes } from "../../domain/oauth-consent.ts";
import { type ApiScopes, apiScopesIn, isOpenIdScope } from "../../domain/oauth-scope.ts";

/**
 * Added to the scope of a request that names no scope of an API: its tokens may have no scope, and its refresh never
 * fails for one that the user lost. No client can send it, because RFC 6749 allows no quotation marks in a scope. It is
 * in no response and no access token.
 */
export const UNNAMED = '"unnamed"';

/** The endpoints that receive the scope of a request; a pushed one is completed when it is used. */
const COMPLETING_ROUTES = ["authorization", "device_authorization"];

/**
 * Completes the scope of a request for `known` APIs: without a scope, it requests all (RFC 6749, section 3.3), at most
 * `LISTED_MAX`. Removes unknown names.
 */
export function completeScope({ oidc: { route, params } }: Context, known: ApiScopes): void {
	if (!COMPLETING_ROUTES.includes(route) || scopesIn(params.scope).includes(UNNAMED)) return;
	const ofApis = [...new Set(Object.values(known).flat())];
	if (params.scope === undefined) {
		params.scope = [UNNAMED, ...ofApis.slice(0, LISTED_MAX)].join(" ");
		return;
	}
	const kept = scopesIn(params.scope).filter((name) => isOpenIdScope(name) || ofApis.includes(name));
	params.scope = kept.length === 0 ? UNNAMED : kept.join(" ");
}

/** @throws InvalidScope for a request that could get no token of any use. */
export function checkRequestsSomething({ params }: Context["oidc"]): void {
	if (!scopesIn(params.scope).some(isOpenIdScope))
		throw new errors.InvalidScope("request the scope openid, or name an API in resource", params.scope ?? "");
}

/** What the request of the library asks for, by API. */
export function requestedIn({ oidc }: Context): RequestedConsent {
	const known = Object.entries(oidc.resourceServers).map(
		([resource, { scopes }]) => [resource, [...scopes].filter((scope) => scope !== UNNAMED)] as const,
	);
	return {
		scopes: [...oidc.requestParamOIDCScopes],
		resources: Object.keys(oidc.resourceServers),
		apiScopes: apiScopesIn(Object.fromEntries(known), [...oidc.requestParamScopes]),
	};
}

/** The requested scopes and resources, without duplicates. */
export function askedIn({ scope, resource = [] }: Pick<Params, "scope" | "resource">): RequestedScopes {
	const scopes = scopesIn(scope).filter((name) => name !== UNNAMED);
	return { scopes: [...new Set(scopes)], resources: [...new Set([resource].flat())] };
}

/** The scopes to grant for each API of a consent, in the form of the library. */
export function grantedScopes(
	{ resources, apiScopes }: RequestedConsent,
	requested: string | undefined,
): Record<string, string> {
	const unnamed = isUnnamed(requested) ? [UNNAMED] : [];
	const granted = resources.map(
		(resource) => [resource, [...(apiScopes[resource] ?? []), ...unnamed]] as const,
	);
	const filled = granted.filter(([, scopes]) => scopes.length > 0);
	return Object.fromEntries(filled.map(([resource, scopes]) => [resource, scopes.join(" ")]));
}

export function isUnnamed(scope: string | undefined): boolean {
	return scopesIn(scope).includes(UNNAMED);
}

/**
 * @param source the code or refresh token for which a token is issued
 * @param held the scopes of the API that the user has now
 * @throws InvalidScope if the request named scopes of the API, and the user has none of those that were granted.
 */
export function checkAnyLeft(
	{ oidc }: Context,
	source: Issued,
	resource: string,
	held: readonly string[],
): void {
	const scope = oidc.params.scope ?? source.scope;
	if (isUnnamed(scope)) return;
	const named = scopesIn(oidc.entities.Grant?.getResourceScopeFiltered(resource, scopesIn(scope)));
	if (named.length > 0 && !named.some((name) => held.includes(name)))
		throw new errors.InvalidScope("the user no longer has any of these permissions", named.join(" "));
}

export function scopesIn(scope: string | undefined): string[] {
	return scope?.split(" ").filter((name) => name !== "") ?? [];
}

/** Undefined for no names. */
export function scopeOf(names: readonly string[]): string | undefined {
	return names.length === 0 ? undefined : names.join(" ");
}
