// Compact JWS (RFC 7515, section 7.1) as the service signs it: its format and verification.

import type { CryptoKey } from "jose";
import * as errors from "jose/errors";
import { compactVerify } from "jose/jws/compact/verify";
import { ALGORITHM } from "./signing-key.ts";

/**
 * Three non-empty parts without padding. The signature has 64 bytes; its last character has four unused bits, and only
 * one spelling is accepted.
 */
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/;

export function isCompactJws(text: string): boolean {
	return COMPACT.test(text);
}

/** The signed bytes; undefined unless this key signed them with ES256, regardless of the algorithm in the header. */
export async function verifyCompactJws(jws: string, key: CryptoKey): Promise<Uint8Array | undefined> {
	if (!isCompactJws(jws)) return undefined;
	try {
		return (await compactVerify(jws, key, { algorithms: [ALGORITHM] })).payload;
	} catch (error) {
		if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
		throw error;
	}
}
