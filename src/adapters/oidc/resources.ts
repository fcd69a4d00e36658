// APIs for which access tokens are issued (RFC 8707): those of applications in the client's tenant.

import { type Client, type Context, errors, type Payload, type Token } from "oidc-provider";
import { ACCESS_TOKEN_SECONDS } from "../../domain/session.ts";
import { continuedSignIn } from "./library-call.ts";
import type { ProviderParts } from "./parts.ts";
import { scopesFor, scopesOfPerson } from "./resource-scopes.ts";
import { checkAnyLeft, checkRequestsSomething, scopesIn } from "./scopes.ts";
import { checkCount, getTarget, notForThisClient, sourceOf } from "./targets.ts";

export function resourceIndicators(parts: ProviderParts): Payload {
	return {
		enabled: true,
		defaultResource: (context: Context, _client: Client, resources?: readonly string[]) =>
			resourceByDefault(context, resources),
		getResourceServerInfo: async (context: Context, resource: string) => {
			const { oidc } = context;
			checkCount(oidc.params.resource);
			const target = await getTarget(parts, context, resource);
			return {
				scope: (await scopesFor(parts, context, target, resource)).join(" "),
				accessTokenFormat: "jwt",
				accessTokenTTL: ACCESS_TOKEN_SECONDS,
				jwt: { sign: { alg: "ES256" } },
			};
		},
	};
}

/**
 * @throws InvalidTarget if a service names no API: a token without one would have no use; InvalidScope for a request of
 * that kind.
 */
function resourceByDefault({ oidc }: Context, resources: readonly string[] | undefined) {
	if (oidc.params.grant_type === "client_credentials") throw new errors.InvalidTarget("resource is required");
	if (resources === undefined && oidc.params.resource === undefined) checkRequestsSomething(oidc);
	return resources;
}

/**
 * Call before a refresh token is consumed: the library stores the successor first, which a refused client never
 * receives.
 *
 * @throws InvalidTarget, InvalidScope
 */
export async function checkRefreshTarget(
	parts: ProviderParts,
	context: Context,
	refreshToken: Token,
): Promise<void> {
	const { oidc } = context;
	const { scope } = oidc.params.scope === undefined ? refreshToken : oidc.params;
	const byDefault = scopesIn(scope).includes("openid") ? undefined : refreshToken.resource;
	const resource = oidc.params.resource ?? byDefault;
	if (resource === undefined) return;
	const granted = [refreshToken.resource].flat();
	if (typeof resource !== "string" || !granted.includes(resource)) throw notForThisClient();
	const target = await getTarget(parts, context, resource);
	checkAnyLeft(context, refreshToken, resource, await scopesOfPerson(parts, target, refreshToken));
}

/** Claims of API tokens beyond RFC 9068, section 2.2. */
export async function apiTokenClaims(
	parts: ProviderParts,
	context: Context,
	token: Token,
): Promise<Payload | undefined> {
	if (token.kind === "ClientCredentials") {
		const client = await parts.db.stores.oauthClients.findPresented(String(token.clientId));
		if (client === undefined) throw new errors.InvalidGrant("the client was deleted");
		return { tenant_id: client.tenantId };
	}
	const source = sourceOf(context);
	if (typeof token.aud !== "string" || source === undefined) return undefined;
	const target = await getTarget(parts, context, token.aud);
	const { api } = target;
	const user = await target.user(source);
	if (user === undefined) throw new errors.InvalidGrant("the user was deleted or lost access");
	const scopes = scopesIn(context.oidc.params.scope ?? source.scope).filter((scope) => scope === "roles");
	return {
		tenant_id: api.tenantId,
		...(continuedSignIn()?.isActed === true && { act: { sub: token.clientId } }),
		grant_id: source.grantId,
		auth_time: source.authTime,
		acr: source.acr,
		amr: source.amr,
		...(await parts.rules.claimsOf(user, api, scopes)),
	};
}
