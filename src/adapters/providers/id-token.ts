// Checks of an ID token that openid-client omits.

import { ProviderFailure } from "../../domain/provider-gateway.ts";
import type { Claims } from "./claims.ts";

/** No symmetric algorithms (the client's secret must not sign for the provider) and never `none`. */
const HASH_OF: Readonly<Record<string, string>> = {
	RS256: "SHA-256",
	PS256: "SHA-256",
	ES256: "SHA-256",
	RS384: "SHA-384",
	PS384: "SHA-384",
	ES384: "SHA-384",
	RS512: "SHA-512",
	PS512: "SHA-512",
	ES512: "SHA-512",
	EdDSA: "SHA-512",
	Ed25519: "SHA-512",
};
const AHEAD_MAX_SECONDS = 60;
/** The token was issued during this sign-in. */
const AGE_MAX_SECONDS = 600;

/**
 * The library has checked issuer, audience, nonce, expiry, and signature. It accepts an empty subject, any time of
 * issue, and any `azp` with a single audience, and ignores `at_hash`.
 *
 * @throws ProviderFailure
 */
export async function checkIdToken(token: {
	readonly idToken: string;
	readonly accessToken: string;
	readonly claims: Claims;
	readonly clientId: string;
	readonly nowMs: number;
}): Promise<void> {
	const { claims } = token;
	const hash = HASH_OF[algorithmOf(token.idToken)];
	if (hash === undefined) refuse("is signed with an algorithm that is not allowed");
	if (typeof claims.sub !== "string" || claims.sub.trim() === "") refuse("has no subject");
	if (claims.azp !== undefined && claims.azp !== token.clientId)
		refuse("was issued for another client (azp)");
	const ageSeconds = token.nowMs / 1_000 - Number(claims.iat);
	if (!(ageSeconds >= -AHEAD_MAX_SECONDS)) refuse("was issued in the future (iat)");
	if (!(ageSeconds <= AGE_MAX_SECONDS)) refuse("was issued too long ago (iat)");
	if (claims.at_hash !== undefined && claims.at_hash !== (await leftHalf(hash, token.accessToken)))
		refuse("belongs to another access token (at_hash)");
}

function refuse(why: string): never {
	throw new ProviderFailure("invalid_answer", `the ID token ${why}`);
}

function algorithmOf(idToken: string): string {
	const header = JSON.parse(Buffer.from(idToken.split(".")[0] ?? "", "base64url").toString("utf8"));
	return String(header.alg);
}

/** OpenID Connect Core 1.0, section 3.1.3.6. */
async function leftHalf(hash: string, accessToken: string): Promise<string> {
	const digest = Buffer.from(await crypto.subtle.digest(hash, Buffer.from(accessToken)));
	return digest.subarray(0, digest.length / 2).toString("base64url");
}
