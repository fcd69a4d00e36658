// Digests: what the database stores instead of a token or a code, the next refresh token, and constant-time comparison.

import { createHmac, hash, type KeyObject, timingSafeEqual } from "node:crypto";

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
 * The only successor of a refresh token: its HMAC-SHA256 (RFC 2104), 256 bits as 43 base64url characters, like the
 * first token of a session (`randomToken`). A repeated refresh returns the same token without storing it; without the
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
