// Verifies access tokens for APIs, which the OpenID provider signs.

import { decodeProtectedHeader } from "jose/decode/protected_header";
import { SignJWT } from "jose/jwt/sign";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import { RecentMap } from "../kernel/recent-map.ts";
import type { KeySource } from "./access-token.ts";
import { isCompactJws, verifyCompactJws } from "./compact-jws.ts";
import { tokenDigest } from "./digest.ts";
import { randomToken } from "./random.ts";
import { ALGORITHM, ReadyKeys } from "./signing-key.ts";

/** The claims, by their wire names (RFC 9068). */
export interface ApiTokenClaims {
	readonly iss: string;
	/** The user, or the `client_id` of a service. */
	readonly sub: string;
	/** The API. Tokens for the API of Latchkey itself have a list here, which begins with the issuer. */
	readonly aud: string;
	readonly client_id: string;
	readonly tenant_id: string;
	readonly exp: number;
	readonly iat: number;
	readonly jti: string;
	/** Permissions, separated by spaces. */
	readonly scope?: string;
	/** The grant of the user; a service has none. */
	readonly grant_id?: string;
	/** The support session in which it was issued, if any: there is no grant then. */
	readonly sid?: string;
	readonly auth_time?: number;
	readonly acr?: string;
	readonly amr?: readonly string[];
	/** The roles of the user in the application of the API. */
	readonly roles?: readonly string[];
	readonly permissions?: readonly string[];
	readonly groups?: readonly string[];
	/** The client that acts for the user (RFC 8693, section 4.1), or `user:<id>` of a supporter. */
	readonly act?: { readonly sub: string };
	/** The key to which the token is bound (RFC 9449, section 6.1). */
	readonly cnf?: { readonly jkt: string };
}

/** Undefined unless the text is a valid token for an API. */
export type ReadApiToken = (token: string) => Promise<ApiTokenClaims | undefined>;

const CACHED_TOKENS = 20_000;
const CACHE_BYTES = 32 * 1024 ** 2;
/** In addition to the texts of the claims, which are about half as long as the token. */
const ENTRY_BYTES = 300;

/**
 * Verified tokens are cached by the digest of the whole token until they expire or their key is removed. The caller
 * checks what is stored now: the client, the API, and the grant.
 */
export function createApiTokenReader(issuer: string, keys: KeySource, clock: Clock): ReadApiToken {
	const ready = new ReadyKeys();
	const findKey = (kid: string) => keys.current().find((key) => key.kid === kid);
	const seen = new RecentMap<{ kid: string; claims: ApiTokenClaims; bytes: number }>(CACHED_TOKENS, {
		max: CACHE_BYTES,
		of: ({ bytes }) => bytes,
	});
	const isLive = ({ exp }: ApiTokenClaims): boolean => clock() < exp * SECOND_MS;
	return async (token) => {
		const digest = tokenDigest(token);
		const known = seen.find(digest);
		if (known !== undefined)
			return isLive(known.claims) && findKey(known.kid) !== undefined ? known.claims : undefined;
		const kid = keyIdOf(token);
		if (kid === undefined) return undefined;
		if (findKey(kid) === undefined) await keys.seek(kid);
		const key = findKey(kid);
		const signed = key && (await verifyCompactJws(token, await ready.verifying(key)));
		const claims = signed && parseClaims(JSON.parse(Buffer.from(signed).toString("utf8")));
		if (claims?.iss !== issuer || !isLive(claims)) return undefined;
		seen.set(digest, { kid, claims, bytes: ENTRY_BYTES + token.length / 2 });
		return claims;
	};
}

function keyIdOf(token: string): string | undefined {
	if (!isCompactJws(token)) return undefined;
	try {
		const { typ, kid } = decodeProtectedHeader(token);
		return typ === "at+jwt" ? kid : undefined;
	} catch {
		// Three parts, but the first is not JSON: not a token of this service.
		return undefined;
	}
}

/** The payload if one of our keys signed it; it may have another purpose, such as an ID token. */
function parseClaims(signed: Partial<ApiTokenClaims>): ApiTokenClaims | undefined {
	const { iss, sub, aud, client_id, tenant_id, exp, iat, jti, grant_id, sid, act } = signed;
	const isOfSupporter = typeof sid === "string" && act?.sub.startsWith("user:") === true;
	const areTexts = [iss, sub, aud, client_id, tenant_id, jti].every((value) => typeof value === "string");
	const isOfSomeone = sub === client_id || typeof grant_id === "string" || isOfSupporter;
	const isForApi = areTexts && isOfSomeone && typeof exp === "number" && typeof iat === "number";
	return isForApi ? (signed as ApiTokenClaims) : undefined;
}

export interface SupportTokenSubject
	extends Pick<ApiTokenClaims, "sub" | "aud" | "client_id" | "tenant_id" | "scope" | "auth_time" | "amr"> {
	readonly sid: string;
	readonly actor: string;
	readonly ttlSeconds: number;
}

/** @returns a function that issues the token of a support session for an API, with the key that signs access tokens. */
export function createSupportTokens(issuer: string, keys: KeySource, clock: Clock) {
	const ready = new ReadyKeys();
	return async ({ actor, ttlSeconds, ...claims }: SupportTokenSubject): Promise<string> => {
		await keys.freshen();
		const [key] = keys.current();
		if (key === undefined) throw new Error("there is no key to sign access tokens with");
		const iat = Math.floor(clock() / SECOND_MS);
		const times = { iat, exp: iat + ttlSeconds, jti: randomToken() };
		return await new SignJWT({ iss: issuer, ...claims, ...times, act: { sub: actor } })
			.setProtectedHeader({ alg: ALGORITHM, typ: "at+jwt", kid: key.kid })
			.sign(await ready.signing(key));
	};
}
