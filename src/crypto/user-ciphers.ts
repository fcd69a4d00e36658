// Seals texts with the key of a user: without the key, nothing can be read from them.

import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import { decryptGcm, encryptGcm, NONCE_BYTES } from "./aes-gcm.ts";
import { hkdfSha256 } from "./derived-keys.ts";

const KEY_BYTES = 32;
const NO_SALT = Buffer.alloc(0);
const ASSOCIATED = Buffer.from("latchkey audit v1");
const SEALED = /^u1\.([A-Za-z0-9_-]+)$/;

/**
 * AES-256-GCM. The nonce is derived from the text with a key of its own, so it repeats only for the same text: equal
 * texts are equal when sealed, which is all that a reader without the key learns, apart from their length.
 */
export const userCiphers = {
	newKey: (): string => randomBytes(KEY_BYTES).toString("base64url"),
	of(key: string) {
		const root = createSecretKey(Buffer.from(key, "base64url"));
		const sealing = hkdfSha256(root, NO_SALT, "latchkey user seal v1");
		const nonces = hkdfSha256(root, NO_SALT, "latchkey user nonce v1");
		return {
			seal(text: string): string {
				const nonce = createHmac("sha256", nonces).update(text).digest().subarray(0, NONCE_BYTES);
				const sealed = encryptGcm(sealing, nonce, Buffer.from(text), ASSOCIATED);
				return `u1.${Buffer.concat([nonce, sealed]).toString("base64url")}`;
			},
			open(sealed: string): string | undefined {
				const bytes = Buffer.from(SEALED.exec(sealed)?.[1] ?? "", "base64url");
				const nonce = bytes.subarray(0, NONCE_BYTES);
				if (nonce.length < NONCE_BYTES) return undefined;
				return decryptGcm(sealing, nonce, bytes.subarray(NONCE_BYTES), ASSOCIATED)?.toString("utf8");
			},
		};
	},
};
