// The RSA keys that sign ID tokens, as stored: apart from the keys of access tokens, so that no access token is ever
// held against one.

import type { KeyLifeStore, StoredKey } from "./signing-key.ts";

/** `privateSealed` opens with `idTokenKeyContext(kid)` to the private JWK as JSON. */
export interface StoredIdTokenKey extends StoredKey {
	/** Unique, from 1: of several nodes that create the first key, one succeeds. */
	readonly number: number;
	readonly publicJwk: { readonly kty: string; readonly n: string; readonly e: string };
}

export function idTokenKeyContext(kid: string): string {
	return `id_token_key:${kid}`;
}

export interface IdTokenKeyStore extends KeyLifeStore<StoredIdTokenKey> {
	/** @returns false when the number is taken. */
	insert(key: StoredIdTokenKey): Promise<boolean>;
}

/** Provides the keys for verifying ID tokens. */
export interface IdTokenKeys {
	/** Public keys as JWKs, the signing one first. Never empty: creates the first key. */
	published(): Promise<
		readonly {
			readonly kty: string;
			readonly n: string;
			readonly e: string;
			readonly kid: string;
			readonly use: string;
			readonly alg: string;
		}[]
	>;
}
