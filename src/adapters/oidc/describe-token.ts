// What introspection returns about a token (RFC 7662, section 2.2).

import type { Payload } from "oidc-provider";
import type { PresentedOAuthClient } from "../../domain/oauth-client.ts";
import type { OAuthGrant } from "../../domain/oauth-record.ts";
import type { Claims } from "../../domain/openid-provider.ts";
import { findSupporter, isSupportToken, supporterRef } from "../../domain/support-session.ts";
import { findTokenHolders } from "../../domain/token-holder.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import type { ApiTokenClaims, ProviderParts } from "./parts.ts";
import type { Payloads } from "./payloads.ts";
import type { Records } from "./records.ts";
import { scopeOf, scopesIn, UNNAMED } from "./scopes.ts";

export const INACTIVE = { active: false };

/** The client that introspects, after it has authenticated. */
export interface Introspecting {
	readonly applicationId: string;
}

/** A client may introspect its own stored tokens while the user may use the application. */
export async function describeStored(
	parts: ProviderParts,
	records: Records,
	caller: PresentedOAuthClient,
	value: string,
): Promise<Payload | undefined> {
	const found = await records.findToken(value);
	if (found === undefined) return undefined;
	const { payload, row } = found;
	const { accountId, clientId, exp, iat, sid, scope, jkt } = payload;
	const isExpired = typeof exp !== "number" || exp <= Math.floor(Date.now() / SECOND_MS);
	if (isExpired || clientId !== caller.applicationId) return undefined;
	if (!(await isOwned(parts, payload, row.grant, caller))) return undefined;
	if (row.consumedAtMs !== null && !(await records.isRepeatable(value, row.consumedAtMs))) return undefined;
	const isRefresh = row.kind === "RefreshToken";
	return {
		active: true,
		sub: accountId,
		client_id: clientId,
		exp,
		iat,
		sid,
		iss: parts.issuer,
		scope: withoutMarker(scope),
		cnf: jkt === undefined ? undefined : { jkt },
		token_type: isRefresh ? undefined : jkt === undefined ? "Bearer" : "DPoP",
	};
}

/** Whether a token belongs to a grant of the client, whose user may still use the application. */
export async function isOwned(
	{ rules }: ProviderParts,
	{ accountId, clientId }: Pick<Payloads["AccessToken"], "accountId" | "clientId">,
	grant: OAuthGrant | undefined,
	client: PresentedOAuthClient,
): Promise<boolean> {
	if (grant?.userId !== accountId || grant?.clientId !== clientId) return false;
	return grant !== undefined && (await rules.findUserOfGrant(grant, [client])) !== undefined;
}

/** Undefined unless the token could still be issued, and the caller is the client that received it or the API. */
export async function describeSigned(
	parts: ProviderParts,
	{ applicationId: callerId }: Introspecting,
	token: string,
): Promise<Payload | undefined> {
	const claims = await parts.readApiToken(token);
	if (claims === undefined) return undefined;
	const { stores } = parts.db;
	if (isSupportToken(claims)) return await describeSupported(parts, callerId, claims);
	const holders = await findTokenHolders(stores, claims, parts.clock());
	if (holders === undefined) return undefined;
	const { holder, front } = holders;
	const api = await stores.oauthClients.findByResource(holder.tenantId, claims.aud);
	if (api?.application.status !== "active") return undefined;
	if (![holder.applicationId, api.applicationId].includes(callerId)) return undefined;
	const entered = [...new Set([holder, front, api])];
	const ofUser = claims.grant_id === undefined ? {} : await describeUser(parts, claims, front, api, entered);
	const tokenType = claims.cnf === undefined ? "Bearer" : "DPoP";
	const scope = await currentScope(parts, claims, holder, api);
	return ofUser && { active: true, token_type: tokenType, ...claims, scope, ...ofUser };
}

/** In a support session, only the API learns about the token. */
async function describeSupported(
	parts: ProviderParts,
	callerId: string,
	claims: ApiTokenClaims & { readonly act: { readonly sub: string }; readonly sid: string },
): Promise<Payload | undefined> {
	const { db, rules, clock } = parts;
	const { applications, oauthClients, supportSessions } = db.stores;
	const { tenant_id: tenantId, sub: userId, sid: sessionId, act, aud } = claims;
	const api = await oauthClients.findByResource(tenantId, aud);
	if (api === undefined || api.applicationId !== callerId || claims.client_id !== callerId) return undefined;
	const application = await applications.findById(tenantId, callerId);
	const supporter = await findSupporter(supportSessions, sessionId, clock());
	if (application?.supportSessions !== true || supporter === undefined) return undefined;
	const user = await rules.findUserOfGrant({ sessionId, userId }, [api]);
	if (user?.roles.length !== 0 || act.sub !== supporterRef(supporter)) return undefined;
	const scope = await currentScope(parts, claims, api, api);
	return { active: true, token_type: "Bearer", ...claims, scope };
}

/** The scopes of the token that its holder still has; undefined for none. */
async function currentScope(
	{ rules }: ProviderParts,
	{ scope, grant_id: grantId, act, sub }: ApiTokenClaims,
	{ applicationId }: PresentedOAuthClient,
	api: PresentedOAuthClient,
): Promise<string | undefined> {
	if (scope === undefined) return undefined;
	const isOfUser = grantId !== undefined || act !== undefined;
	const held = await rules.scopesOf(api, {
		kind: isOfUser ? "user" : "program",
		id: isOfUser ? sub : applicationId,
	});
	return scopeOf(scopesIn(scope).filter((name) => held.includes(name)));
}

/** The current roles. Undefined if the grant was revoked, or the user may no longer use one of the applications. */
async function describeUser(
	{ db, rules, clock }: ProviderParts,
	{ grant_id: grantId = "", sub: userId, roles }: ApiTokenClaims,
	front: PresentedOAuthClient,
	api: PresentedOAuthClient,
	entered: readonly PresentedOAuthClient[],
): Promise<Claims | undefined> {
	const grant = await db.stores.oauthGrants.findLive(grantId, clock());
	if (grant?.userId !== userId || grant.clientId !== front.applicationId) return undefined;
	const user = await rules.findUserOfGrant(grant, entered);
	return user && (await rules.claimsOf(user, api, roles === undefined ? [] : ["roles"]));
}

/** Removes the marker of refresh tokens. Undefined for no scope. */
export function withoutMarker(scope: string | undefined): string | undefined {
	return scopeOf(scopesIn(scope).filter((name) => name !== UNNAMED));
}
