// AES-256-GCM (NIST SP 800-38D) as the secret box uses it: 96-bit nonce, 128-bit tag.

import { createCipheriv, createDecipheriv, type KeyObject } from "node:crypto";

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

const ALGORITHM = "aes-256-gcm";
const OPTIONS = { authTagLength: TAG_BYTES };

/** Ciphertext (as long as `plain`) followed by the tag. Never reuse a nonce with the same key. */
export function encryptGcm(key: KeyObject, nonce: Buffer, plain: Buffer, associated: Buffer): Buffer {
	const cipher = createCipheriv(ALGORITHM, key, nonce, OPTIONS);
	cipher.setAAD(associated);
	return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @returns undefined when the tag does not match: another key, nonce, or associated data, or modified text. */
export function decryptGcm(
	key: KeyObject,
	nonce: Buffer,
	sealed: Buffer,
	associated: Buffer,
): Buffer | undefined {
	// OpenSSL accepts shorter tags, which are easier to guess.
	if (sealed.length < TAG_BYTES) return undefined;
	const textLength = sealed.length - TAG_BYTES;
	const decipher = createDecipheriv(ALGORITHM, key, nonce, OPTIONS);
	decipher.setAAD(associated);
	decipher.setAuthTag(sealed.subarray(textLength));
	const plain = decipher.update(sealed.subarray(0, textLength));
	try {
		return Buffer.concat([plain, decipher.final()]);
	} catch {
		return undefined;
	}
}
