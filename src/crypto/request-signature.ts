// The signature of open API requests: the string to sign, signing, and verification.

import { createHmac, createPrivateKey, createSecretKey, type KeyObject, sign, verify } from "node:crypto";
import { equalTexts } from "./digest.ts";

/** An opaque HMAC key: create it once per Secret and keep it. */
export type HmacKey = KeyObject;

/** The first line of the string to sign: with the Secret, or with a private Ed25519 key. */
export const SCHEMES = ["V1-HMAC-SHA256", "V1-ED25519"] as const;
export type Scheme = (typeof SCHEMES)[number];

/** SHA-256 of an empty body, in hex: the body digest of a GET. */
export const EMPTY_BODY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** `X-Nonce`: 16 to 128 unreserved characters (RFC 3986, 2.3). */
export const NONCE = /^[A-Za-z0-9._~-]{16,128}$/;
/** `X-Timestamp`: Unix seconds. Tests the text, since `Number` also accepts `1e9`, `0x65` and ` 17`. */
export const TIMESTAMP = /^[0-9]{10}$/;
/** `X-Signature`: in hex, in either case, 32 bytes of HMAC-SHA256 or 64 bytes of Ed25519. */
export const SIGNATURE = /^(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{128})$/;

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
export function stringToSign(parts: SignedParts, scheme: Scheme = "V1-HMAC-SHA256"): string {
	return `${scheme}\n${parts.method}\n${parts.target}\n${parts.tenantId}\n${parts.appId}\n${parts.apiKey}\n${parts.timestamp}\n${parts.nonce}\n${parts.bodySha256}`;
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

/** The private key of a client as PEM; undefined unless it is an Ed25519 key. */
export function privateKey(pem: string): KeyObject | undefined {
	try {
		const key = createPrivateKey(pem);
		return key.asymmetricKeyType === "ed25519" ? key : undefined;
	} catch {
		return undefined;
	}
}

/** The scheme of a signature, by its length. */
export function schemeOf(signatureHex: string): Scheme {
	return signatureHex.length === 128 ? "V1-ED25519" : "V1-HMAC-SHA256";
}

/**
 * Signs like a client does: the lower-case hex digits for `X-Signature`, 64 with a Secret and 128 with a private Ed25519
 * key.
 *
 * @throws RangeError when a part contains what no request can (a line break, anything but visible ASCII).
 */
export function signRequest(key: KeyObject, parts: SignedParts): string {
	for (const [name, value] of Object.entries(parts)) {
		if (!/^[\x21-\x7e]+$/.test(value)) throw new RangeError(`${name} must be visible ASCII`);
	}
	return key.type === "secret"
		? hmacSha256(key, stringToSign(parts), "latin1")
		: sign(null, Buffer.from(stringToSign(parts, "V1-ED25519"), "latin1"), key).toString("hex");
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

/** Verifies Ed25519 over `text`, which is Latin-1 as in `verifyHmac`. Accepts only the 128 hex digits of 64 bytes. */
export function verifyEd25519(
	key: KeyObject,
	text: string,
	signatureHex: string,
	encoding: "latin1" | "utf8" = "latin1",
): boolean {
	if (schemeOf(signatureHex) !== "V1-ED25519" || !SIGNATURE.test(signatureHex)) return false;
	return verify(null, Buffer.from(text, encoding), key, Buffer.from(signatureHex, "hex"));
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
