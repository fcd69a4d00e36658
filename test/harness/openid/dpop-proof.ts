// Valid and invalid DPoP proofs (RFC 9449).

import { createHash, randomUUID } from "node:crypto";
import {
	type CryptoKey,
	calculateJwkThumbprint,
	exportJWK,
	generateKeyPair,
	type JWK,
	type JWTHeaderParameters,
	type JWTPayload,
	SignJWT,
} from "jose";
import { ISSUER } from "./openid.ts";

export interface ProofKey {
	readonly privateKey: CryptoKey;
	readonly publicKey: CryptoKey;
	readonly jwk: JWK;
	readonly alg: string;
	readonly thumbprint: string;
}

export async function makeProofKey(alg = "ES256"): Promise<ProofKey> {
	const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
	const jwk = await exportJWK(publicKey);
	return { privateKey, publicKey, jwk, alg, thumbprint: await calculateJwkThumbprint(jwk) };
}

interface Changes {
	readonly claims?: Readonly<Record<string, unknown>>;
	readonly header?: { readonly typ?: string | undefined; readonly jwk?: JWK | undefined };
}

/** A valid proof for `POST` at `path` with changes; undefined omits a member. */
export function proofOf(
	key: ProofKey,
	path: string,
	{ claims = {}, header = {} }: Changes = {},
): Promise<string> {
	const iat = Math.floor(Date.now() / 1_000);
	const good = { jti: randomUUID(), htm: "POST", htu: `${ISSUER}${path}`, iat };
	return new SignJWT(withoutGaps<JWTPayload>({ ...good, ...claims }))
		.setProtectedHeader(
			withoutGaps<JWTHeaderParameters>({ typ: "dpop+jwt", alg: key.alg, jwk: key.jwk, ...header }),
		)
		.sign(key.privateKey);
}

/** The claims of a proof for the userinfo endpoint. */
export function userinfoClaims(accessToken: string): Readonly<Record<string, string>> {
	return { htm: "GET", ath: createHash("sha256").update(accessToken).digest("base64url") };
}

function withoutGaps<T>(value: object): T {
	return JSON.parse(JSON.stringify(value)) as T;
}
