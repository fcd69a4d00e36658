// APIs for which access tokens are issued (RFC 8707): of applications in the tenant of the client that asks.

import { type Client, type Context, errors, type Payload } from "oidc-provider";
import { type PresentedOAuthClient, signsPeopleIn } from "../../domain/oauth-client.ts";
import { ACCESS_TOKEN_SECONDS } from "../../domain/session.ts";
import type { ProviderParts } from "./parts.ts";

/** For APIs there are no scopes: the API decides by the client and the roles of the person. */
const NO_SCOPES = "";

export function resourceIndicators(parts: ProviderParts): Payload {
	return {
		enabled: true,
		defaultResource: (context: Context, _client: Client, resources?: readonly string[]) =>
			resourceByDefault(context, resources),
		getResourceServerInfo: async (context: Context, resource: string, { clientId }: Client) => {
			const { oidc } = context;
			const target = await getTarget(parts, clientId, resource);
			const source = sourceOf(context);
			if (source !== undefined) await checkPerson(parts, target, source);
			else if (!signsPeopleIn(target.client.type) && oidc.params.scope !== undefined)
				throw new errors.InvalidScope("APIs have no scopes", String(oidc.params.scope));
			return {
				scope: NO_SCOPES,
				accessTokenFormat: "jwt",
				accessTokenTTL: ACCESS_TOKEN_SECONDS,
				jwt: { sign: { alg: "ES256" } },
			};
		},
	};
}

/** @throws InvalidTarget for a service that names no API: there is nothing a token without one would be good for. */
function resourceByDefault({ oidc }: Context, resources: readonly string[] | undefined) {
	if (oidc.params.grant_type === "client_credentials") throw new errors.InvalidTarget("resource is required");
	return resources;
}

interface Target {
	readonly client: PresentedOAuthClient;
	readonly api: PresentedOAuthClient;
}

/**
 * @throws InvalidTarget. One answer for every reason, so that nobody learns which APIs there are: not allowed to this client, of no
 * application or a disabled one, or named in another tenant, too, whose API could not tell the tokens apart.
 */
async function getTarget({ db }: ProviderParts, clientId: string, resource: string): Promise<Target> {
	const { oauthClients } = db.stores;
	const client = await oauthClients.findPresented(clientId);
	if (client?.allowedResources.includes(resource)) {
		const api = await oauthClients.findByResource(client.tenantId, resource);
		const isLive = api?.application.status === "active";
		if (isLive && !(await oauthClients.isResourceElsewhere(client.tenantId, resource)))
			return { client, api };
	}
	throw notForThisClient();
}

/** The code or refresh token of a person that a token is issued for. */
function sourceOf({ oidc }: Context): Payload | undefined {
	const { AuthorizationCode, DeviceCode, RefreshToken } = oidc.entities;
	return (AuthorizationCode ?? DeviceCode ?? RefreshToken) as Payload | undefined;
}

/** @throws InvalidTarget when the person may not use the API, or not without a second factor. */
async function checkPerson({ rules }: ProviderParts, { api }: Target, source: Payload): Promise<void> {
	if ((await rules.findUser(provedBy(api, source), api)) === undefined)
		throw new errors.InvalidTarget("this person gets no tokens for this resource");
}

function provedBy({ tenantId }: PresentedOAuthClient, { accountId, amr }: Payload) {
	return { tenantId, userId: String(accountId), amr: Array.isArray(amr) ? (amr as string[]) : [] };
}

/**
 * Before a refresh token is used: the library writes its successor first, which a refused program would never see.
 *
 * @throws InvalidTarget
 */
export async function checkRefreshTarget(
	parts: ProviderParts,
	{ oidc }: Context,
	refreshToken: Payload,
): Promise<void> {
	const { scope } = oidc.params.scope === undefined ? refreshToken : oidc.params;
	const byDefault = scopesIn(scope).includes("openid") ? undefined : refreshToken.resource;
	const resource = oidc.params.resource ?? byDefault;
	if (resource === undefined) return;
	const granted = [refreshToken.resource].flat();
	if (typeof resource !== "string" || !granted.includes(resource)) throw notForThisClient();
	const target = await getTarget(parts, String(refreshToken.clientId), resource);
	await checkPerson(parts, target, refreshToken);
}

/** What tokens for APIs say beyond RFC 9068, section 2.2. */
export async function apiTokenClaims(
	parts: ProviderParts,
	context: Context,
	token: Payload,
): Promise<Payload | undefined> {
	if (token.kind === "ClientCredentials") {
		const client = await parts.db.stores.oauthClients.findPresented(String(token.clientId));
		if (client === undefined) throw new errors.InvalidGrant("the client has gone");
		return { tenant_id: client.tenantId };
	}
	const source = sourceOf(context);
	if (typeof token.aud !== "string" || source === undefined) return undefined;
	const { api } = await getTarget(parts, String(token.clientId), token.aud);
	const user = await parts.rules.findUser(provedBy(api, source), api);
	if (user === undefined) throw new errors.InvalidGrant("the person has gone");
	const scopes = scopesIn(context.oidc.params.scope ?? source.scope).filter((scope) => scope === "roles");
	return {
		tenant_id: api.tenantId,
		grant_id: source.grantId,
		auth_time: source.authTime,
		acr: source.acr,
		amr: source.amr,
		...(await parts.rules.claimsOf(user, api, scopes)),
	};
}

function scopesIn(scope: unknown): string[] {
	return typeof scope === "string" ? scope.split(" ") : [];
}

function notForThisClient(): Error {
	return new errors.InvalidTarget("this client gets no tokens for this resource");
}
