// Verifies access tokens for APIs, which the OpenID provider signs.

import { decodeProtectedHeader } from "jose/decode/protected_header";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import type { KeySource } from "./access-token.ts";
import { isCompactJws, verifyCompactJws } from "./compact-jws.ts";
import { ReadyKeys } from "./signing-key.ts";

/** The claims, by their wire names (RFC 9068). */
interface ApiTokenClaims {
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
	/** The grant of the user; a service has none. */
	readonly grant_id?: string;
	readonly auth_time?: number;
	readonly acr?: string;
	readonly amr?: readonly string[];
	/** The roles of the user in the application of the API. */
	readonly roles?: readonly string[];
	readonly permissions?: readonly string[];
	readonly groups?: readonly string[];
	/** The key to which the token is bound (RFC 9449, section 6.1). */
	readonly cnf?: { readonly jkt: string };
}

/** @returns a function that returns undefined unless the text is a valid token for an API. */
export function createApiTokenReader(
	issuer: string,
	keys: KeySource,
	clock: Clock,
): (token: string) => Promise<ApiTokenClaims | undefined> {
	const ready = new ReadyKeys();
	const findKey = (kid: string) => keys.current().find((key) => key.kid === kid);
	return async (token) => {
		const kid = keyIdOf(token);
		if (kid === undefined) return undefined;
		if (findKey(kid) === undefined) await keys.seek(kid);
		const key = findKey(kid);
		const signed = key && (await verifyCompactJws(token, await ready.verifying(key)));
		const claims = signed && parseClaims(JSON.parse(Buffer.from(signed).toString("utf8")));
		return claims?.iss === issuer && clock() < claims.exp * SECOND_MS ? claims : undefined;
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
	const { iss, sub, aud, client_id, tenant_id, exp, iat, jti, grant_id } = signed;
	const areTexts = [iss, sub, aud, client_id, tenant_id, jti].every((value) => typeof value === "string");
	const isOfSomeone = sub === client_id || typeof grant_id === "string";
	const isForApi = areTexts && isOfSomeone && typeof exp === "number" && typeof iat === "number";
	return isForApi ? (signed as ApiTokenClaims) : undefined;
}
