// Seals short-lived codes that leave the service, such as in a URL, with a key of their own.

import { type KeyObject, randomBytes } from "node:crypto";
import { decryptGcm, encryptGcm, NONCE_BYTES, TAG_BYTES } from "./aes-gcm.ts";

export interface CodeBox {
	/** @param context only the same context opens the code */
	seal(plain: string, context: string): string;
	/** Undefined for a text that was not sealed here with this context. */
	open(sealed: string, context: string): string | undefined;
}

/** @param key 256 bits, derived for this purpose: a code must not cost messages of the key that seals what is stored. */
export function createCodeBox(key: KeyObject): CodeBox {
	return {
		seal(plain, context) {
			const nonce = randomBytes(NONCE_BYTES);
			const sealed = encryptGcm(key, nonce, Buffer.from(plain), Buffer.from(context));
			return Buffer.concat([nonce, sealed]).toString("base64url");
		},
		open(sealed, context) {
			const bytes = Buffer.from(sealed, "base64url");
			// Unused bits of the last character could be changed unnoticed.
			if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== sealed) return undefined;
			const nonce = bytes.subarray(0, NONCE_BYTES);
			return decryptGcm(key, nonce, bytes.subarray(NONCE_BYTES), Buffer.from(context))?.toString("utf8");
		},
	};
}
