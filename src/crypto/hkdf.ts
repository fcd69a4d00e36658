// HKDF-SHA256 (RFC 5869): derives keys for several purposes from one master key.

import { createSecretKey, hkdfSync, type KeyObject } from "node:crypto";

/** `lengthBytes` of output for `info`; keys of different `info` are independent. */
export function hkdfSha256(
	inputKey: KeyObject,
	salt: Buffer,
	info: string | Buffer,
	lengthBytes = 32,
): KeyObject {
	return createSecretKey(Buffer.from(hkdfSync("sha256", inputKey, salt, info, lengthBytes)));
}
