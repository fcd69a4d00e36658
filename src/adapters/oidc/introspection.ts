// Token introspection (RFC 7662), for the client that received the token and for the API that it is for.

import type { BareContext, Client, Context, Middleware, Payload, Token } from "oidc-provider";
import { mayUseTokens, type PresentedOAuthClient } from "../../domain/oauth-client.ts";
import { tokenHolder } from "../../domain/oauth-record.ts";
import type { Claims } from "../../domain/openid-provider.ts";
import { isMembers } from "../../kernel/shape.ts";
import { theCall } from "./library-call.ts";
import type { ApiTokenClaims, ProviderParts } from "./parts.ts";
import { scopesIn, UNNAMED } from "./scopes.ts";

/** The library's error for a signed token, returned to authenticated clients only. */
export const UNSUPPORTED = "unsupported_token_type";

const INACTIVE = { active: false };

/** A client may introspect its own stored tokens while the user may use the application. */
export async function mayIntrospect(
	{ db, rules }: ProviderParts,
	caller: Client,
	token: Token,
): Promise<boolean> {
	if (!isAuthenticated(caller) || token.clientId !== caller.clientId) return false;
	const client = await db.stores.oauthClients.findPresented(caller.clientId);
	if (client === undefined || token.accountId === undefined) return false;
	const proved = { tenantId: client.tenantId, userId: token.accountId, amr: undefined };
	return (await rules.findUser(proved, client)) !== undefined;
}

/** The library refuses to introspect signed tokens; this replaces its refusal with a response. */
export function introspectSigned(parts: ProviderParts): Middleware {
	return async (context, next) => {
		await next();
		withoutMarker(context);
		if (!isSignedToken(context)) return;
		const { client, params } = context.oidc;
		theCall().withdrawRefusal();
		context.status = 200;
		context.type = "json";
		context.body = (client && (await describe(parts, client, String(params.token)))) ?? INACTIVE;
	};
}

/** Removes the marker of refresh tokens from the response. */
function withoutMarker(context: BareContext): void {
	const { oidc, body } = context;
	if (oidc?.route !== "introspection" || !isMembers(body) || typeof body.scope !== "string") return;
	const scope =
		scopesIn(body.scope)
			.filter((name) => name !== UNNAMED)
			.join(" ") || undefined;
	context.body = { ...body, scope };
}

function isSignedToken(context: BareContext): context is Context {
	const { oidc, body } = context;
	return oidc?.route === "introspection" && isMembers(body) && body.error === UNSUPPORTED;
}

/** Undefined unless the token could still be issued, and the caller is the client that received it or the API. */
async function describe(parts: ProviderParts, caller: Client, token: string): Promise<Payload | undefined> {
	const claims = isAuthenticated(caller) ? await parts.readApiToken(token) : undefined;
	if (claims === undefined) return undefined;
	const { oauthClients, oauthGrants } = parts.db.stores;
	const client = await oauthClients.findPresented(await tokenHolder(oauthGrants, claims, parts.clock()));
	if (client === undefined || !mayUseTokens(client, claims)) return undefined;
	const api = await oauthClients.findByResource(client.tenantId, claims.aud);
	if (api?.application.status !== "active") return undefined;
	if (![client.applicationId, api.applicationId].includes(caller.clientId)) return undefined;
	const ofUser = claims.grant_id === undefined ? {} : await describeUser(parts, claims, client, api);
	const tokenType = claims.cnf === undefined ? "Bearer" : "DPoP";
	const scope = await currentScope(parts, claims, client, api);
	return ofUser && { active: true, token_type: tokenType, ...claims, scope, ...ofUser };
}

/** The scopes of the token that its holder still has; undefined for none. */
async function currentScope(
	{ rules }: ProviderParts,
	{ scope, grant_id: grantId, sub }: ApiTokenClaims,
	{ applicationId }: PresentedOAuthClient,
	api: PresentedOAuthClient,
): Promise<string | undefined> {
	if (scope === undefined) return undefined;
	const isOfUser = grantId !== undefined;
	const held = await rules.scopesOf(api, {
		kind: isOfUser ? "user" : "program",
		id: isOfUser ? sub : applicationId,
	});
	return (
		scopesIn(scope)
			.filter((name) => held.includes(name))
			.join(" ") || undefined
	);
}

/** The current roles. Undefined if the grant was revoked, or the user may no longer use the application or the API. */
async function describeUser(
	{ db, rules, clock }: ProviderParts,
	{ grant_id: grantId = "", sub: userId, roles }: ApiTokenClaims,
	client: PresentedOAuthClient,
	api: PresentedOAuthClient,
): Promise<Claims | undefined> {
	const grant = await db.stores.oauthGrants.findLive(grantId, clock());
	if (grant?.userId !== userId || grant.clientId !== client.applicationId) return undefined;
	const proved = { tenantId: client.tenantId, userId, amr: undefined };
	const user = (await rules.findUser(proved, client)) && (await rules.findUser(proved, api));
	return user && (await rules.claimsOf(user, api, roles === undefined ? [] : ["roles"]));
}

/** A public client only names itself. */
function isAuthenticated({ clientAuthMethod }: Client): boolean {
	return clientAuthMethod !== "none";
}
