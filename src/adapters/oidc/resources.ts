// APIs for which access tokens are issued (RFC 8707): those of applications in the client's tenant.

import { type Client, type Context, errors, type Payload, type Token } from "oidc-provider";
import {
	ALLOWED_RESOURCES_MAX,
	type PresentedOAuthClient,
	signsPeopleIn,
} from "../../domain/oauth-client.ts";
import { ACCESS_TOKEN_SECONDS } from "../../domain/session.ts";
import type { ProviderParts } from "./parts.ts";

/** APIs have no scopes: an API decides by the client and the roles of the user. */
const NO_SCOPES = "";

export function resourceIndicators(parts: ProviderParts): Payload {
	return {
		enabled: true,
		defaultResource: (context: Context, _client: Client, resources?: readonly string[]) =>
			resourceByDefault(context, resources),
		getResourceServerInfo: async (context: Context, resource: string) => {
			const { oidc } = context;
			checkCount(oidc.params.resource);
			const target = await getTarget(parts, context, resource);
			const source = sourceOf(context);
			if (source !== undefined) await checkPerson(parts, target, source);
			else if (!signsPeopleIn(target.client.type) && oidc.params.scope !== undefined)
				throw new errors.InvalidScope("APIs have no scopes", oidc.params.scope);
			return {
				scope: NO_SCOPES,
				accessTokenFormat: "jwt",
				accessTokenTTL: ACCESS_TOKEN_SECONDS,
				jwt: { sign: { alg: "ES256" } },
			};
		},
	};
}

/** @throws InvalidTarget if a service names no API: a token without one would have no use. */
function resourceByDefault({ oidc }: Context, resources: readonly string[] | undefined) {
	if (oidc.params.grant_type === "client_credentials") throw new errors.InvalidTarget("resource is required");
	return resources;
}

/**
 * The library calls for each value separately, duplicates included.
 *
 * @throws InvalidTarget
 */
function checkCount(resource: unknown): void {
	if (Array.isArray(resource) && resource.length > ALLOWED_RESOURCES_MAX)
		throw new errors.InvalidTarget(`resource must be sent at most ${ALLOWED_RESOURCES_MAX} times`);
}

interface Target {
	readonly client: PresentedOAuthClient;
	readonly api: PresentedOAuthClient;
}

interface Lookups {
	readonly client: Promise<PresentedOAuthClient | undefined>;
	readonly targets: Map<string, Promise<Target>>;
}

/** Caches per request: the client and each API are read once. */
const lookups = new WeakMap<Context, Lookups>();

/** @throws InvalidTarget like `findTarget`. */
function getTarget(parts: ProviderParts, context: Context, resource: string): Promise<Target> {
	const clientId = context.oidc.client?.clientId ?? "";
	const found = lookups.get(context) ?? {
		client: parts.db.stores.oauthClients.findPresented(clientId),
		targets: new Map<string, Promise<Target>>(),
	};
	lookups.set(context, found);
	const target = found.targets.get(resource) ?? findTarget(parts, found, resource);
	found.targets.set(resource, target);
	return target;
}

/**
 * @throws InvalidTarget with one message for every reason, so that the response does not reveal which APIs exist: not
 * allowed for the client, no application, a disabled one, or a name assigned to another tenant, whose API may not
 * distinguish the tokens.
 */
async function findTarget({ db }: ProviderParts, found: Lookups, resource: string): Promise<Target> {
	const { oauthClients } = db.stores;
	const client = await found.client;
	if (client?.allowedResources.includes(resource)) {
		const api = await oauthClients.findByResource(client.tenantId, resource);
		if (api?.application.status === "active") return { client, api };
	}
	throw notForThisClient();
}

/** The code or refresh token for which a token is issued. */
function sourceOf({ oidc }: Context): Token | undefined {
	const { AuthorizationCode, DeviceCode, RefreshToken } = oidc.entities;
	return AuthorizationCode ?? DeviceCode ?? RefreshToken;
}

/** @throws InvalidTarget if the user may not use the API, or only with a second factor. */
async function checkPerson({ rules }: ProviderParts, { api }: Target, source: Token): Promise<void> {
	if ((await rules.findUser(provedBy(api, source), api)) === undefined)
		throw new errors.InvalidTarget("this user cannot get tokens for this resource");
}

function provedBy({ tenantId }: PresentedOAuthClient, { accountId, amr = [] }: Token) {
	return { tenantId, userId: String(accountId), amr };
}

/**
 * Call before a refresh token is consumed: the library stores the successor first, which a refused client never
 * receives.
 *
 * @throws InvalidTarget
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
	await checkPerson(parts, target, refreshToken);
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
	const { api } = await getTarget(parts, context, token.aud);
	const user = await parts.rules.findUser(provedBy(api, source), api);
	if (user === undefined) throw new errors.InvalidGrant("the user was deleted or lost access");
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

function scopesIn(scope: string | undefined): string[] {
	return scope?.split(" ") ?? [];
}

function notForThisClient(): Error {
	return new errors.InvalidTarget("this client cannot get tokens for this resource");
}
