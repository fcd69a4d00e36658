// Whether a token is valid (RFC 7662), for the client that got it and for the API that it is for.

import type { Client, Context, Payload } from "oidc-provider";
import { signsPeopleIn } from "../../domain/oauth-client.ts";
import { theExchange } from "./exchange.ts";
import type { ProviderParts } from "./parts.ts";

/** The library's word for a signed token, only said to clients that have proved themselves. */
export const UNSUPPORTED = "unsupported_token_type";

const INACTIVE = { active: false };

/** Tokens that are stored: of this client alone, whose person may still use the application. */
export async function mayIntrospect(
	{ db, rules }: ProviderParts,
	asking: Client,
	token: Payload,
): Promise<boolean> {
	if (!provesItself(asking) || token.clientId !== asking.clientId) return false;
	const client = await db.stores.oauthClients.findPresented(asking.clientId);
	if (client === undefined || typeof token.accountId !== "string") return false;
	const proved = { tenantId: client.tenantId, userId: token.accountId, amr: undefined };
	return (await rules.findUser(proved, client)) !== undefined;
}

/** The library refuses signed tokens at introspection once it knows the client; here they are answered instead. */
export function introspectSigned(parts: ProviderParts) {
	return async (context: Context, next: () => Promise<void>): Promise<void> => {
		await next();
		if (!isSignedToken(context)) return;
		const { client, params } = context.oidc;
		theExchange().refusal = undefined;
		context.status = 200;
		context.type = "json";
		context.body = (client && (await describe(parts, client, String(params.token)))) ?? INACTIVE;
	};
}

function isSignedToken({ oidc, body }: Context): boolean {
	return oidc?.route === "introspection" && (body as Payload | undefined)?.error === UNSUPPORTED;
}

/** Undefined unless the service may still get such a token, and the client that asks is this service or the API. */
async function describe(
	{ db, readServiceToken }: ProviderParts,
	asking: Client,
	token: string,
): Promise<Payload | undefined> {
	const claims = provesItself(asking) ? await readServiceToken(token) : undefined;
	if (claims === undefined) return undefined;
	const { oauthClients } = db.stores;
	const service = await oauthClients.findPresented(claims.client_id);
	if (service === undefined || signsPeopleIn(service.type) || service.application.status !== "active")
		return undefined;
	const api = await oauthClients.findByResource(service.tenantId, claims.aud);
	if (api?.application.status !== "active" || !service.allowedResources.includes(claims.aud))
		return undefined;
	const mayAsk = [service.applicationId, api.applicationId].includes(asking.clientId);
	const tokenType = claims.cnf === undefined ? "Bearer" : "DPoP";
	return mayAsk ? { active: true, token_type: tokenType, ...claims } : undefined;
}

/** A public client only says who it is. */
function provesItself({ clientAuthMethod }: Client): boolean {
	return clientAuthMethod !== "none";
}
