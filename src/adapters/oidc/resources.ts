// APIs for which access tokens are issued (RFC 8707): of applications in the tenant of the client that asks.

import { type Client, type Context, errors, type Payload } from "oidc-provider";
import { signsPeopleIn } from "../../domain/oauth-client.ts";
import { ACCESS_TOKEN_SECONDS } from "../../domain/session.ts";
import type { ProviderParts } from "./parts.ts";

/** For APIs there are no scopes: the API decides by the client. */
const NO_SCOPES = "";

export function resourceIndicators(parts: ProviderParts): Payload {
	return {
		enabled: true,
		defaultResource: (context: Context, _client: Client, resources?: readonly string[]) =>
			resourceByDefault(context, resources),
		getResourceServerInfo: async (context: Context, resource: string, { clientId }: Client) => {
			await checkTarget(parts, clientId, resource);
			if (context.oidc.params.scope !== undefined)
				throw new errors.InvalidScope("APIs have no scopes", String(context.oidc.params.scope));
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

/**
 * @throws InvalidTarget. One answer for every reason, so that nobody learns which APIs there are: not allowed to this client, of no
 * application or a disabled one, or named in another tenant, too, whose API could not tell the tokens apart.
 */
async function checkTarget({ db }: ProviderParts, clientId: string, resource: string): Promise<void> {
	const { oauthClients } = db.stores;
	const client = await oauthClients.findPresented(clientId);
	const isAsked = client !== undefined && !signsPeopleIn(client.type);
	if (isAsked && client.allowedResources.includes(resource)) {
		const api = await oauthClients.findByResource(client.tenantId, resource);
		const isLive = api?.application.status === "active";
		if (isLive && !(await oauthClients.isResourceElsewhere(client.tenantId, resource))) return;
	}
	throw new errors.InvalidTarget("this client gets no tokens for this resource");
}

/** Says the tenant in tokens of services (RFC 9068, section 2.2.3.1 leaves room for it). */
export async function tenantClaim({ db }: ProviderParts, token: Payload): Promise<Payload | undefined> {
	if (token.kind !== "ClientCredentials") return undefined;
	const client = await db.stores.oauthClients.findPresented(String(token.clientId));
	if (client === undefined) throw new errors.InvalidGrant("the client has gone");
	return { tenant_id: client.tenantId };
}
