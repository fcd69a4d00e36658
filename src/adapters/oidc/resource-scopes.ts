// Which scopes of its APIs a request may get.

import { type Context, errors, type Issued } from "oidc-provider";
import { LISTED_MAX } from "../../domain/access.ts";
import { signsPeopleIn } from "../../domain/oauth-client.ts";
import { type ApiScopes, isOpenIdScope } from "../../domain/oauth-scope.ts";
import type { Session } from "../../domain/session.ts";
import type { ProviderParts } from "./parts.ts";
import { checkAnyLeft, completeScope, isUnnamed, requestedIn, scopeOf, scopesIn, UNNAMED } from "./scopes.ts";
import { getTarget, knownTargets, sourceOf, type Target } from "./targets.ts";

/**
 * The scopes of an API that this request may get: before the consent, those that exist; later, those that the user has.
 *
 * @throws InvalidTarget, InvalidScope
 */
export async function scopesFor(
	parts: ProviderParts,
	context: Context,
	target: Target,
	resource: string,
): Promise<readonly string[]> {
	const source = sourceOf(context);
	if (source !== undefined) {
		const held = await scopesOfPerson(parts, target, source);
		checkAnyLeft(context, source, resource, held);
		return held;
	}
	if (!signsPeopleIn(target.client.type)) return await scopesOfService(parts, context, target);
	const known = await knownScopes(parts, context);
	completeScope(context, known);
	return [...(known[resource] ?? []), UNNAMED];
}

/** The scopes of each API that the request names. @throws InvalidTarget */
async function knownScopes(parts: ProviderParts, context: Context): Promise<ApiScopes> {
	const known: Record<string, readonly string[]> = {};
	for (const resource of new Set([context.oidc.params.resource ?? []].flat())) {
		const { scopes } = await getTarget(parts, context, resource);
		known[resource] = await scopes();
	}
	return known;
}

/**
 * The scopes of a service: those of its roles. Without a scope in the request, its token has all of them.
 *
 * @throws InvalidScope if it has none of those that it names. A token without a scope has no limit at a gate.
 */
async function scopesOfService(
	{ rules, signIns, clock }: ProviderParts,
	{ oidc: { params } }: Context,
	{ client, api }: Target,
): Promise<readonly string[]> {
	const subject = { kind: "program", id: client.applicationId } as const;
	const held = await rules.scopesOf(api, subject);
	signIns.noteUse({ tenantId: api.tenantId, appId: api.applicationId, subject, atMs: clock() });
	const asked = scopesIn(params.scope);
	if (asked.length > 0 && !asked.some((name) => held.includes(name)))
		throw new errors.InvalidScope("the service has none of these permissions", asked.join(" "));
	if (params.scope === undefined && held.length > 0) params.scope = held.slice(0, LISTED_MAX).join(" ");
	return held;
}

/**
 * The scopes that the user has now.
 *
 * @throws InvalidTarget if the user may not use the API, or only with a second factor.
 */
export async function scopesOfPerson(
	{ rules, signIns, clock }: ProviderParts,
	target: Target,
	source: Issued,
): Promise<readonly string[]> {
	const holder = { kind: "user", id: String(source.accountId) } as const;
	const [user, scopes] = await Promise.all([target.user(source), rules.scopesOf(target.api, holder)]);
	if (user === undefined) throw new errors.InvalidTarget("this user cannot get tokens for this resource");
	const { tenantId, applicationId: appId } = target.api;
	signIns.noteUse({ tenantId, appId, subject: holder, atMs: clock() });
	return scopes;
}

/**
 * Refuses a request whose tokens could have none of the scopes that it names, before its user sees a page. A user without
 * access to an API is refused by the sign-in page.
 *
 * @throws InvalidScope
 */
export async function checkAnyHeld(
	{ rules }: ProviderParts,
	context: Context,
	session: Session,
): Promise<void> {
	const { apiScopes } = requestedIn(context);
	if (isUnnamed(context.oidc.params.scope) || Object.keys(apiScopes).length === 0) return;
	const targets = knownTargets(context);
	for (const [resource, names] of Object.entries(apiScopes)) {
		const target = await targets.get(resource);
		const held = target && (await rules.scopesOf(target.api, { kind: "user", id: session.userId }));
		if (held === undefined || names.some((name) => held.includes(name))) return;
	}
	const named = Object.values(apiScopes).flat().join(" ");
	throw new errors.InvalidScope("the user has none of these permissions", named);
}

/**
 * Removes names that are neither OpenID scopes nor scopes of its APIs from the scope of a refresh: the first request
 * ignored them too. The library refuses every scope that was not granted.
 */
export async function ignoreUnknownScopes(
	{ db, rules }: ProviderParts,
	{ params }: Pick<Context["oidc"], "params">,
	granted: Pick<Issued, "clientId" | "scope" | "resource">,
): Promise<void> {
	const others = scopesIn(params.scope).filter((name) => !isOpenIdScope(name));
	if (others.every((name) => scopesIn(granted.scope).includes(name))) return;
	const { oauthClients } = db.stores;
	const { tenantId = "" } = (await oauthClients.findPresented(granted.clientId ?? "")) ?? {};
	const known = new Set(scopesIn(granted.scope));
	for (const resource of [granted.resource ?? []].flat()) {
		const api = await oauthClients.findByResource(tenantId, resource);
		for (const name of api === undefined ? [] : await rules.scopesOf(api)) known.add(name);
	}
	const kept = scopesIn(params.scope).filter((name) => isOpenIdScope(name) || known.has(name));
	params.scope = scopeOf(kept);
}
