// A compact JWS (RFC 7515, 7.1) as the service signs them: its shape, and the one way its signature is proved.

import { type CryptoKey, compactVerify, errors } from "jose";
import { ALGORITHM } from "./signing-key.ts";

/**
 * Three parts, none empty, without padding. 64 bytes of signature; the last character has four spare bits, and only
 * one spelling counts.
 */
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/;

export function isCompactJws(text: string): boolean {
	return COMPACT.test(text);
}

/** What was signed, as bytes; undefined when this key did not sign it with ES256, whatever its header asks for. */
export async function verifyCompactJws(jws: string, key: CryptoKey): Promise<Uint8Array | undefined> {
	if (!isCompactJws(jws)) return undefined;
	try {
		return (await compactVerify(jws, key, { algorithms: [ALGORITHM] })).payload;
	} catch (error) {
		if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
		throw error;
	}
}
