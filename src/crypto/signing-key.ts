// The keys that sign access tokens: P-256, as JWKs (RFC 7517), identified by their thumbprint.

import type { CryptoKey } from "jose";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { importJWK } from "jose/key/import";

/** The only algorithm of access tokens: ECDSA on P-256 with SHA-256 (RFC 7518, 3.4). */
export const ALGORITHM = "ES256";

export interface PublicJwk {
	/** `EC` */
	readonly kty: string;
	/** `P-256` */
	readonly crv: string;
	/** Coordinates, base64url. */
	readonly x: string;
	readonly y: string;
}

export interface PrivateJwk extends PublicJwk {
	readonly d: string;
}

export interface SigningKey {
	/** RFC 7638 thumbprint of the public key. */
	readonly kid: string;
	/** Secret: stored sealed, never logged. */
	readonly privateJwk: PrivateJwk;
	readonly publicJwk: PublicJwk;
}

/** RFC 7517, section 5: the response of `/.well-known/jwks.json`. */
export interface JwkSet {
	readonly keys: (PublicJwk & {
		readonly kid: string;
		readonly use: "sig";
		readonly alg: "ES256";
	})[];
}

/** A new key pair as plain objects, to be stored. */
export async function generateSigningKey(): Promise<SigningKey> {
	const pair = await generateKeyPair(ALGORITHM, { extractable: true });
	const { kty = "", crv = "", x = "", y = "", d = "" } = await exportJWK(pair.privateKey);
	const publicJwk = { kty, crv, x, y };
	return { kid: await calculateJwkThumbprint(publicJwk), privateJwk: { ...publicJwk, d }, publicJwk };
}

/** Copies the public members by name, so that `d` of a stored key is never exposed. */
export function jwkSet(keys: readonly SigningKey[]): JwkSet {
	return {
		keys: keys.map(({ kid, publicJwk: { kty, crv, x, y } }) => ({
			kty,
			crv,
			x,
			y,
			kid,
			use: "sig",
			alg: ALGORITHM,
		})),
	};
}

/** Imported keys, cached as long as their `SigningKey` object is reachable. */
export class ReadyKeys {
	readonly #signing = new WeakMap<SigningKey, Promise<CryptoKey>>();
	readonly #verifying = new WeakMap<SigningKey, Promise<CryptoKey>>();

	/** @throws Error when the stored JWK is not a P-256 private key. */
	signing(key: SigningKey): Promise<CryptoKey> {
		return remember(this.#signing, key, () => importJWK({ ...key.privateJwk, kty: "EC" }, ALGORITHM));
	}

	/** @throws Error when the stored JWK is not a P-256 public key. */
	verifying(key: SigningKey): Promise<CryptoKey> {
		const { crv, x, y } = key.publicJwk;
		return remember(this.#verifying, key, () => importJWK({ kty: "EC", crv, x, y }, ALGORITHM));
	}
}

function remember<K extends object, V>(map: WeakMap<K, V>, key: K, make: () => V): V {
	const known = map.get(key);
	if (known !== undefined) return known;
	const value = make();
	map.set(key, value);
	return value;
}
