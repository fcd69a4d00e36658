// Signing keys as stored: EC keys for access tokens, and RSA keys for ID tokens only, so that no access token ever
// verifies with one.

/** A key of any algorithm, with its life cycle. */
export interface StoredKey {
	/** RFC 7638 thumbprint. */
	readonly kid: string;
	readonly privateSealed: string;
	readonly createdAtMs: number;
	/** It signs from this time until the next key does. */
	readonly signsFromMs: number;
	/** When it was withdrawn early; usually null. */
	readonly withdrawnAtMs: number | null;
}

/** A key that signs access tokens; `privateSealed` opens with `signingKeyContext(kid)` to the private JWK as JSON. */
export interface StoredSigningKey extends StoredKey {
	readonly publicJwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly y: string };
}

export function signingKeyContext(kid: string): string {
	return `signing_key:${kid}`;
}

export interface SigningKeyStore extends KeyLifeStore<StoredSigningKey> {
	insert(key: StoredSigningKey): Promise<void>;
}

export interface KeyLifeStore<K extends StoredKey> {
	/** Newest first, including those no longer published. */
	listAll(): Promise<K[]>;
	/** @returns false when it was deleted or already withdrawn. */
	withdraw(kid: string, nowMs: number): Promise<boolean>;
	/** @returns false when it was already removed. */
	remove(kid: string): Promise<boolean>;
}

/** `privateSealed` opens with `idTokenKeyContext(kid)` to the private JWK as JSON. */
export interface StoredIdTokenKey extends StoredKey {
	readonly alg: "RS256" | "PS256";
	/** Unique for the algorithm, from 1: of several nodes that create the first key, one succeeds. */
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
	/** Public keys as JWKs, the signing one first. Never empty: creates the first keys. */
	published(): Promise<
		readonly (StoredIdTokenKey["publicJwk"] & { kid: string; use: string; alg: string })[]
	>;
}
