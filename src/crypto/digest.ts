// Digests: what the database keeps instead of a token or a code, and how two of them are compared.

import { createHmac, hash, type KeyObject, timingSafeEqual } from "node:crypto";

/** SHA-256 (FIPS 180-4) as 64 lower-case hex digits; text counts as UTF-8. */
export function sha256Hex(data: Buffer | string): string {
	return hash("sha256", data, "hex");
}

/** SHA-1 (FIPS 180-4) as 40 lower-case hex digits: for looking things up in lists made with it, and nothing else. */
export function sha1Hex(data: string): string {
	return hash("sha1", data, "hex");
}

/** SHA-256 as 43 base64url characters without padding. */
export function sha256Base64url(data: Buffer | string): string {
	return hash("sha256", data, "base64url");
}

/**
 * What is stored of a refresh, claim, withdrawal or reset token. A plain digest is enough only because such a
 * token holds 256 random bits; anything a person types goes through `codeDigest` or bcrypt.
 */
export function tokenDigest(token: string): string {
	return sha256Base64url(token);
}

/**
 * What is stored of a mailed code, 43 base64url characters. Six digits are found from a plain digest in
 * a second, so it is keyed (HMAC-SHA256, RFC 2104); `purpose` and `address` are bound in, so a code is good
 * for nothing else.
 */
export function codeDigest(key: KeyObject, purpose: string, address: string, code: string): string {
	// JSON keeps the three apart: no address can swallow a part of the code.
	return createHmac("sha256", key)
		.update(JSON.stringify([purpose, address, code]))
		.digest("base64url");
}

/** Equal or not, in a time that does not tell where they differ. Texts of different length are unequal. */
export function equalTexts(a: string, b: string): boolean {
	const bytesA = Buffer.from(a);
	const bytesB = Buffer.from(b);
	return bytesA.length === bytesB.length && timingSafeEqual(bytesA, bytesB);
}
