// The signature of open API requests: the string to sign, signing, and verification.

import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { equalTexts } from "./digest.ts";

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

/** The signed parts of a request, each exactly as on the wire: not decoded, sorted, or trimmed. */
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
 * The key of a client: the bytes of its Secret as shown, including `sk_`. Keep the KeyObject: signing with a Buffer
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
 * Signs like a client does: 64 lower-case hex digits for `X-Signature`.
 *
 * @throws RangeError when a part contains what no request can (a line break, anything but visible ASCII).
 */
export function signRequest(key: KeyObject, parts: SignedParts): string {
	for (const [name, value] of Object.entries(parts)) {
		if (!/^[\x21-\x7e]+$/.test(value)) throw new RangeError(`${name} must be visible ASCII`);
	}
	return hmacSha256(key, stringToSign(parts), "latin1");
}

/** Whether `signatureHex` is the signature of `parts`: 64 hex digits in either case, compared in constant time. */
export function verifySignature(key: KeyObject, parts: SignedParts, signatureHex: string): boolean {
	return verifyHmac(key, stringToSign(parts), signatureHex);
}

/**
 * Verifies HMAC-SHA256 over `latin1`. Node decodes the request line and the headers as Latin-1, one character per byte,
 * so this verifies the bytes received. Accepts only the full 256 bits in hex.
 */
export function verifyHmac(key: KeyObject, latin1: string, signatureHex: string): boolean {
	return isEqual(hmacSha256(key, latin1, "latin1"), signatureHex);
}

/** Like `verifySignature`, over the UTF-8 string that a client claims to have signed. For explanations only. */
export function verifyTextSignature(key: KeyObject, text: string, signatureHex: string): boolean {
	return isEqual(hmacSha256(key, text, "utf8"), signatureHex);
}

/** As lower-case hex: Node takes nearly twice as long to return a buffer. */
function hmacSha256(key: KeyObject, text: string, encoding: "latin1" | "utf8"): string {
	return createHmac("sha256", key).update(text, encoding).digest("hex");
}

function isEqual(expected: string, signatureHex: string): boolean {
	return SIGNATURE.test(signatureHex) && equalTexts(expected, signatureHex.toLowerCase());
}
