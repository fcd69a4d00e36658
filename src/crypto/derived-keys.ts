// Derives independent keys for several purposes from one key.

import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";

const ROOT_BYTES = 32;
const NO_SALT = Buffer.alloc(0);

export interface KeyDerivation {
	/** 256 bits, deterministic for root and purpose; keys of different purposes are independent. */
	deriveKey(purpose: string): KeyObject;
}

/**
 * Derives keys from a stored secret, so that they survive a change of the master key.
 *
 * @throws RangeError unless `root` has 32 bytes.
 */
export function createKeyDerivation(root: Buffer): KeyDerivation {
	if (root.length !== ROOT_BYTES) throw new RangeError(`a root has ${ROOT_BYTES} bytes, not ${root.length}`);
	const key = createSecretKey(root);
	return { deriveKey: (purpose) => hkdfSha256(key, NO_SALT, `latchkey derive v1 ${purpose}`) };
}

/** HKDF-SHA256 (RFC 5869): `lengthBytes` of output for `info`. Keys of different `info` are independent. */
export function hkdfSha256(
	inputKey: KeyObject,
	salt: Buffer,
	info: string | Buffer,
	lengthBytes = 32,
): KeyObject {
	return createSecretKey(Buffer.from(hkdfSync("sha256", inputKey, salt, info, lengthBytes)));
}
