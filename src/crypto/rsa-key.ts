// The RSA keys that sign ID tokens, as JWKs (RFC 7517). They sign nothing else, and each signs with one algorithm only.

import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";

/**
 * RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3), which every relying party supports, and RSASSA-PSS (section 3.5),
 * which FAPI 2.0 admits.
 */
export const RSA_ALGORITHMS = ["RS256", "PS256"] as const;
export type RsaAlgorithm = (typeof RSA_ALGORITHMS)[number];

/** The minimum of RFC 7518. The signed tokens are valid for 15 minutes, and signing takes half the time of 3072 bits. */
const RSA_BITS = 2_048;

export interface RsaPublicJwk {
	/** `RSA` */
	readonly kty: string;
	/** Modulus and exponent, base64url. */
	readonly n: string;
	readonly e: string;
}

/** With the members of RFC 7518, section 6.3.2. */
export interface RsaPrivateJwk extends RsaPublicJwk {
	/** Sealed with the key, so that nothing else in the database decides what it signs. */
	readonly alg: RsaAlgorithm;
	readonly d: string;
	readonly p: string;
	readonly q: string;
	readonly dp: string;
	readonly dq: string;
	readonly qi: string;
}

export interface RsaKey {
	/** RFC 7638 thumbprint of the public key. */
	readonly kid: string;
	readonly alg: RsaAlgorithm;
	/** Secret: stored sealed, never logged. */
	readonly privateJwk: RsaPrivateJwk;
	readonly publicJwk: RsaPublicJwk;
}

/** As published in `/.well-known/jwks.json`. */
export interface PublishedRsaKey extends RsaPublicJwk {
	readonly kid: string;
	readonly use: "sig";
	readonly alg: RsaAlgorithm;
}

/** A new key pair as plain objects, to be stored. Created on a separate thread: it takes up to half a second. */
export async function generateRsaKey(alg: RsaAlgorithm): Promise<RsaKey> {
	const pair = await generateKeyPair(alg, { modulusLength: RSA_BITS, extractable: true });
	const { kty, n = "", e = "", ...secret } = await exportJWK(pair.privateKey);
	const { d = "", p = "", q = "", dp = "", dq = "", qi = "" } = secret;
	const publicJwk = { kty: kty ?? "", n, e };
	const kid = await calculateJwkThumbprint(publicJwk);
	return { kid, alg, publicJwk, privateJwk: { ...publicJwk, alg, d, p, q, dp, dq, qi } };
}

/** Copies the public members by name, so that no other is ever exposed. */
export function publishedRsaKey({ kid, alg, publicJwk: { kty, n, e } }: RsaKey): PublishedRsaKey {
	return { kty, n, e, kid, use: "sig", alg };
}
