// The claims of an access token, and parsing of untrusted ones.

import { SECOND_MS } from "../kernel/clock.ts";

/** The claims of an access token (RFC 7519, RFC 9068), by their wire names. */
export interface AccessTokenClaims {
	readonly iss: string;
	/** User id. */
	readonly sub: string;
	/** The issuer, then the application signed in to, if any. */
	readonly aud: readonly string[];
	/** The application signed in to, or `latchkey`. */
	readonly client_id: string;
	/** Unix seconds, like `iat` and `auth_time`. */
	readonly exp: number;
	readonly iat: number;
	readonly jti: string;
	/** Session id. The guard checks whether the session is live. */
	readonly sid: string;
	readonly tenant_id: string;
	/** Roles when the token was issued. */
	readonly roles: readonly string[];
	readonly auth_time: number;
	/** The authentication methods, RFC 8176. */
	readonly amr: readonly string[];
	/** Who acts for the user (RFC 8693, section 4.1): in a support session `user:<id>`. */
	readonly act?: { readonly sub: string };
}

export interface AccessTokenSubject {
	readonly userId: string;
	readonly sessionId: string;
	readonly tenantId: string;
	/** The application signed in to, if any. */
	readonly appId: string | null;
	readonly roles: readonly string[];
	readonly authenticatedAtMs: number;
	/** When the session ends unless it is refreshed: no token outlives it. */
	readonly endsAtMs?: number;
	readonly amr: readonly string[];
	readonly actor?: string;
	/** Default: that of the service. */
	readonly ttlSeconds?: number;
}

const OWN_CLIENT_ID = "latchkey";

export function claimsFor(
	subject: AccessTokenSubject,
	token: {
		readonly issuer: string;
		readonly id: string;
		readonly nowMs: number;
		readonly ttlSeconds: number;
	},
): AccessTokenClaims {
	const { appId, actor, ttlSeconds = token.ttlSeconds } = subject;
	const issuedAt = Math.floor(token.nowMs / SECOND_MS);
	return {
		iss: token.issuer,
		sub: subject.userId,
		aud: appId === null ? [token.issuer] : [token.issuer, appId],
		client_id: appId ?? OWN_CLIENT_ID,
		exp: Math.min(
			issuedAt + ttlSeconds,
			Math.floor((subject.endsAtMs ?? Number.MAX_SAFE_INTEGER) / SECOND_MS),
		),
		iat: issuedAt,
		jti: token.id,
		sid: subject.sessionId,
		tenant_id: subject.tenantId,
		roles: [...subject.roles],
		auth_time: Math.floor(subject.authenticatedAtMs / SECOND_MS),
		amr: [...subject.amr],
		...(actor !== undefined && { act: { sub: actor } }),
	};
}

/** The claims if all are present with the right types, otherwise undefined; drops other members. */
export function parseClaims(payload: Readonly<Record<string, unknown>>): AccessTokenClaims | undefined {
	const { iss, sub, aud, client_id, exp, iat, jti, sid, tenant_id, roles, auth_time, amr, act } = payload;
	if (!isText(iss) || !isText(sub) || !isText(client_id) || !isText(jti)) return undefined;
	if (!isText(sid) || !isText(tenant_id)) return undefined;
	if (!isSeconds(exp) || !isSeconds(iat) || !isSeconds(auth_time)) return undefined;
	if (!isTexts(aud) || !isTexts(roles) || !isTexts(amr)) return undefined;
	const claims = { iss, sub, aud, client_id, exp, iat, jti, sid, tenant_id, roles, auth_time, amr };
	if (act === undefined) return claims;
	return isActor(act) ? { ...claims, act: { sub: act.sub } } : undefined;
}

function isActor(value: unknown): value is { readonly sub: string } {
	return typeof value === "object" && value !== null && "sub" in value && isText(value.sub);
}

function isText(value: unknown): value is string {
	return typeof value === "string" && value !== "";
}

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every(isText);
}

function isSeconds(value: unknown): value is number {
	return Number.isSafeInteger(value);
}
