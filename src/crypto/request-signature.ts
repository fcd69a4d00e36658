// The signature of open API requests: the string to sign, signing, and verification.

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { hmacSha256Hex } from "./lean-hmac.ts";

/** An opaque HMAC key: create it once per Secret and keep it. */
export type HmacKey = KeyObject;

/** First line of every string to sign; a later scheme uses another. */
const SCHEME = "V1-HMAC-SHA256";

/** SHA-256 of an empty body, in hex: the body digest of a GET. */
export const EMPTY_BODY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** `X-Nonce`: 16 to 128 unreserved characters (RFC 3986, 2.3). */
export const NONCE = /^[A-Za-z0-9._~-]{16,128}$/;
/** `X-Timestamp`: Unix seconds. Tests the text, since `Number` also accepts `1e9`, `0x65` and ` 17`. */
export const TIMESTAMP = /^[0-9]{10}$/;
/** `X-Signature`: 32 bytes in hex, in either case. */
export const SIGNATURE = /^[0-9a-fA-F]{64}$/;
const SIGNATURE_DIGITS = 64;

/** The signed parts of a request, each exactly as on the wire: nothing decoded, sorted or trimmed. */
export interface SignedParts {
	/** Upper case. */
	readonly method: string;
	/** Path and query of the request line. */
	readonly target: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly apiKey: string;
	readonly timestamp: string;
	readonly nonce: string;
	/** Lower-case hex SHA-256 of the raw body. */
	readonly bodySha256: string;
}

/** Nine lines joined by LF, without a final one. HTTP allows no LF in any part, so the lines are unambiguous. */
export function stringToSign(parts: SignedParts): string {
	return `${SCHEME}\n${parts.method}\n${parts.target}\n${parts.tenantId}\n${parts.appId}\n${parts.apiKey}\n${parts.timestamp}\n${parts.nonce}\n${parts.bodySha256}`;
}

/**
 * The key of a client: the bytes of its Secret as shown, `sk_` included. Keep the KeyObject: signing with a Buffer
 * takes several times as long.
 *
 * @throws RangeError for an empty Secret, with which anyone could sign.
 */
export function secretKey(secretPlain: string | Buffer): KeyObject {
	if (secretPlain.length === 0) throw new RangeError("a Secret must not be empty");
	return typeof secretPlain === "string"
		? createSecretKey(secretPlain, "utf8")
		: createSecretKey(secretPlain);
}

/**
 * Signs as a caller does: 64 lower-case hex digits for `X-Signature`.
 *
 * @throws RangeError when a part contains what no request can carry (a line break, anything but visible ASCII).
 */
export function signRequest(key: KeyObject, parts: SignedParts): string {
	for (const [name, value] of Object.entries(parts)) {
		if (!/^[\x21-\x7e]+$/.test(value)) throw new RangeError(`${name} must be visible ASCII`);
	}
	return hmacSha256Hex(key, stringToSign(parts));
}

/**
 * Whether `signatureHex` is the signature of `parts`: false for anything but 64 hex digits, compared in constant time.
 * Hashing a 1 KiB body, signing and comparing takes 3 µs.
 */
export function verifySignature(key: KeyObject, parts: SignedParts, signatureHex: string): boolean {
	// Node decodes request line and headers as Latin-1, one character per byte: this verifies the bytes received.
	return verifyHmac(key, stringToSign(parts), signatureHex);
}

/** HMAC-SHA256 over `latin1`, one character per byte. Accepts only the full 256 bits in hex. */
export function verifyHmac(key: KeyObject, latin1: string, signatureHex: string): boolean {
	return isEqualHex(hmacSha256Hex(key, latin1), signatureHex);
}

/** As `verifySignature`, over a string that a caller claims to have signed, as UTF-8. For explanations only. */
export function verifyTextSignature(key: KeyObject, text: string, signatureHex: string): boolean {
	return isEqualHex(createHmac("sha256", key).update(text, "utf8").digest("hex"), signatureHex);
}

// Each is written and read within one synchronous call.
const givenDigits = Buffer.allocUnsafeSlow(SIGNATURE_DIGITS);
const expectedDigits = Buffer.allocUnsafeSlow(SIGNATURE_DIGITS);

/** Compares in constant time. True only for 64 hex digits, in either case: `expected` has them in lower case. */
function isEqualHex(expected: string, given: string): boolean {
	const digits = given.toLowerCase();
	if (digits.length !== SIGNATURE_DIGITS) return false;
	expectedDigits.write(expected, "latin1");
	// UTF-8 has one spelling of a digit; Latin-1 would take U+0161 for an a. What is no digit is longer, and does not fit.
	if (givenDigits.write(digits, "utf8") !== SIGNATURE_DIGITS) return false;
	return timingSafeEqual(expectedDigits, givenDigits);
}
