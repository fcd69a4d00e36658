// The keys that sign access tokens, as stored.

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
	readonly publicJwk: PublicJwk;
}

export interface PublicJwk {
	readonly kty: string;
	readonly crv: string;
	readonly x: string;
	readonly y: string;
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
