// Digests and message authentication codes: the stored forms of tokens and codes, refresh tokens, and constant-time
// comparison.

import { createHash, createHmac, hash, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256 (FIPS 180-4) as 64 lower-case hex digits; text is encoded as UTF-8. */
export function sha256Hex(data: Buffer | string): string {
	return hash("sha256", data, "hex");
}

/** SHA-1 (FIPS 180-4) as 40 lower-case hex digits: only for lookups in lists that use it. */
export function sha1Hex(data: string): string {
	return hash("sha1", data, "hex");
}

/** SHA-256 as 43 base64url characters without padding. */
export function sha256Base64url(data: Buffer | string): string {
	return hash("sha256", data, "base64url");
}

/**
 * The stored form of a refresh, claim, withdrawal, or reset token. A plain digest suffices because these tokens have
 * 256 random bits; anything that users type needs `codeDigest` or bcrypt.
 */
export function tokenDigest(token: string): string {
	return sha256Base64url(token);
}

/**
 * The stored form of a mailed code, 43 base64url characters. Six digits can be recovered from a plain digest in a
 * second, so it is keyed (HMAC-SHA256, RFC 2104) and bound to `purpose` and `address`.
 */
export function codeDigest(key: KeyObject, purpose: string, address: string, code: string): string {
	// JSON separates the three values unambiguously.
	return createHmac("sha256", key)
		.update(JSON.stringify([purpose, address, code]))
		.digest("base64url");
}

/**
 * The only successor of a refresh token of an OAuth client: its HMAC-SHA256 (RFC 2104), 256 bits as 43 base64url characters, like
 * the first one (`randomToken`). A repeated refresh returns the same token without storing it; without the
 * key a token reveals nothing about the next.
 */
export function refreshSuccessor(key: KeyObject, refreshToken: string): string {
	return createHmac("sha256", key).update(refreshToken).digest("base64url");
}

/** What a token says about its record. */
export interface Named {
	/** A UUID. */
	readonly id: string;
	/** An integer of 32 bits. */
	readonly generation: number;
	/** 256 random bits as 43 base64url characters: the same in all tokens of a record, which stores their digest. */
	readonly secret: string;
}

const ID_BYTES = 16;
const GENERATION_BYTES = 4;
const SECRET_BYTES = 32;
const NAMED_BYTES = ID_BYTES + GENERATION_BYTES + SECRET_BYTES;
const MAC_BYTES = 16;
const NAMED_TOKEN = /^[A-Za-z0-9_-]{91}$/;

/**
 * A token that names its record: id, generation, and secret, then the HMAC-SHA256 (RFC 2104) of all three and `context`, cut to 128
 * bits, so that the bearer cannot change the generation. 91 base64url characters. Without the secret, the key makes none.
 */
export function namedToken(key: KeyObject, { id, generation, secret }: Named, context = ""): string {
	const token = Buffer.alloc(NAMED_BYTES + MAC_BYTES);
	token.write(id.replaceAll("-", ""), "hex");
	token.writeUInt32BE(generation, ID_BYTES);
	token.write(secret, ID_BYTES + GENERATION_BYTES, "base64url");
	const mac = createHmac("sha256", key).update(token.subarray(0, NAMED_BYTES)).update(context).digest();
	mac.copy(token, NAMED_BYTES);
	return token.toString("base64url");
}

/** What a token says, true or not: compare it with the `namedToken` of this. */
export function readNamedToken(token: string): Named | undefined {
	if (!NAMED_TOKEN.test(token)) return undefined;
	const bytes = Buffer.from(token, "base64url");
	const hex = bytes.toString("hex", 0, ID_BYTES);
	return {
		id: [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-"),
		generation: bytes.readUInt32BE(ID_BYTES),
		secret: bytes.toString("base64url", ID_BYTES + GENERATION_BYTES, NAMED_BYTES),
	};
}

/** Constant-time comparison. Texts of different lengths are unequal. */
export function equalTexts(a: string, b: string): boolean {
	const bytesA = Buffer.from(a);
	const bytesB = Buffer.from(b);
	return bytesA.length === bytesB.length && timingSafeEqual(bytesA, bytesB);
}

/** Whether a token has one of these digests (`tokenDigest`). Compares all of them in constant time. */
export function matchesDigest(token: string, digests: readonly string[]): boolean {
	const presented = tokenDigest(token);
	return digests.filter((digest) => equalTexts(digest, presented)).length > 0;
}

/** An opaque HMAC key. */
export type MacKey = KeyObject;

/** SHA-256 (FIPS 180-4) of a sequence of texts, as UTF-8. Do not call `add` after `hex`, which returns 64 hex digits. */
export function createRunningDigest() {
	const hash = createHash("sha256");
	return {
		add: (text: string) => void hash.update(text, "utf8"),
		hex: () => hash.digest("hex"),
	};
}

/** HMAC-SHA256 (RFC 2104) of a text as 64 lower-case hex digits. */
export function textMac(key: MacKey, text: string): string {
	return createHmac("sha256", key).update(text, "utf8").digest("hex");
}

/** Constant-time comparison. */
export function isTextMac(key: MacKey, text: string, mac: string): boolean {
	return equalTexts(textMac(key, text), mac);
}

const KEY_BYTES = 16;

/**
 * SHA-256 (FIPS 180-4) over a random key and the text, as 32 characters of one byte each; any 8 of them are a digest of
 * 64 bits. Only for values that stay in this process: a digest that leaves it needs HMAC.
 */
export function createKeyedDigest(): (text: string) => string {
	const key = randomBytes(KEY_BYTES).toString("base64url");
	return (text) => hash("sha256", key + text, "latin1");
}
