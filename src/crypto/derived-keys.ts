// Derives keys for several purposes from one stored secret, so that they survive a change of the master key.

import { createSecretKey, type KeyObject } from "node:crypto";
import { hkdfSha256 } from "./hkdf.ts";

const ROOT_BYTES = 32;
const NO_SALT = Buffer.alloc(0);

export interface KeyDerivation {
	/** 256 bits, deterministic for root and purpose; keys of different purposes are independent. */
	deriveKey(purpose: string): KeyObject;
}

/** @throws RangeError unless the root has 32 bytes. */
export function createKeyDerivation(root: Buffer): KeyDerivation {
	if (root.length !== ROOT_BYTES) throw new RangeError(`a root has ${ROOT_BYTES} bytes, not ${root.length}`);
	const key = createSecretKey(root);
	return { deriveKey: (purpose) => hkdfSha256(key, NO_SALT, `latchkey derive v1 ${purpose}`) };
}
