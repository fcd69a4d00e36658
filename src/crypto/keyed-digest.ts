// A short digest that only this process can compute, for look-ups in memory.

import { hash, randomBytes } from "node:crypto";

const KEY_BYTES = 16;

/**
 * SHA-256 (FIPS 180-4) over a random key and the text, as 32 characters of one byte each; any 8 of them are a digest of
 * 64 bits. Only for values that stay in this process: a digest that leaves it needs HMAC.
 */
export function createKeyedDigest(): (text: string) => string {
	const key = randomBytes(KEY_BYTES).toString("base64url");
	return (text) => hash("sha256", key + text, "latin1");
}
