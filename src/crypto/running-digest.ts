// Incremental digests, and message authentication codes of a text.

import { createHash, createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

/** An opaque HMAC key. */
export type MacKey = KeyObject;

/** SHA-256 (FIPS 180-4) of a sequence of texts, as UTF-8. */
export interface RunningDigest {
	add(text: string): void;
	/** 64 lower-case hex digits; do not call `add` afterwards. */
	hex(): string;
}

export function createRunningDigest(): RunningDigest {
	const hash = createHash("sha256");
	return {
		add: (text) => void hash.update(text, "utf8"),
		hex: () => hash.digest("hex"),
	};
}

/** HMAC-SHA256 (RFC 2104) of a text as 64 lower-case hex digits. */
export function textMac(key: MacKey, text: string): string {
	return createHmac("sha256", key).update(text, "utf8").digest("hex");
}

/** Constant-time comparison. */
export function isTextMac(key: MacKey, text: string, mac: string): boolean {
	const expected = Buffer.from(textMac(key, text));
	const given = Buffer.from(mac);
	return expected.length === given.length && timingSafeEqual(expected, given);
}
