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
