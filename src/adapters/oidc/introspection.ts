// Token introspection (RFC 7662), for the client that received the token and for the API that it is for.

import type { BareContext, Client, Context, Middleware, Payload, Token } from "oidc-provider";
import type { PresentedOAuthClient } from "../../domain/oauth-client.ts";
import type { Claims } from "../../domain/openid-provider.ts";
import { findTokenHolders } from "../../domain/token-holder.ts";
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
	const { stores } = parts.db;
	const holders = await findTokenHolders(stores, claims, parts.clock());
	if (holders === undefined) return undefined;
	const { holder, front } = holders;
	const api = await stores.oauthClients.findByResource(holder.tenantId, claims.aud);
	if (api?.application.status !== "active") return undefined;
	if (![holder.applicationId, api.applicationId].includes(caller.clientId)) return undefined;
	const entered = new Set([holder, front, api]);
	const ofUser = claims.grant_id === undefined ? {} : await describeUser(parts, claims, front, api, entered);
	const tokenType = claims.cnf === undefined ? "Bearer" : "DPoP";
	const scope = await currentScope(parts, claims, holder, api);
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

/** The current roles. Undefined if the grant was revoked, or the user may no longer use one of the applications. */
async function describeUser(
	{ db, rules, clock }: ProviderParts,
	{ grant_id: grantId = "", sub: userId, roles }: ApiTokenClaims,
	front: PresentedOAuthClient,
	api: PresentedOAuthClient,
	entered: ReadonlySet<PresentedOAuthClient>,
): Promise<Claims | undefined> {
	const grant = await db.stores.oauthGrants.findLive(grantId, clock());
	if (grant?.userId !== userId || grant.clientId !== front.applicationId) return undefined;
	const proved = { tenantId: front.tenantId, userId, amr: undefined };
	const users = await Promise.all([...entered].map((application) => rules.findUser(proved, application)));
	const [user] = users;
	if (user === undefined || users.includes(undefined)) return undefined;
	return await rules.claimsOf(user, api, roles === undefined ? [] : ["roles"]);
}

/** A public client only names itself. */
function isAuthenticated({ clientAuthMethod }: Client): boolean {
	return clientAuthMethod !== "none";
}
