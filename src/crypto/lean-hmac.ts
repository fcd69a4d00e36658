// HMAC-SHA256 (RFC 2104) by two one-shot digests over pads that are computed once for each key: `createHmac` sets up a
// context for every text, which takes longer than the digests of a short one.

import { hash, type KeyObject } from "node:crypto";

/** The block of SHA-256, in bytes. */
const BLOCK = 64;
const DIGEST = 32;
/** Longest text that is copied into the shared buffer; a longer one gets a buffer of its own. */
const SHARED_MAX = 4_096;

// Neither is seen outside this file, and each is used and cleared within one synchronous call.
const innerBytes = Buffer.allocUnsafeSlow(BLOCK + SHARED_MAX);
const outerBytes = Buffer.allocUnsafeSlow(BLOCK + DIGEST);

/** As secret as the key: what signs with it. */
interface Pads {
	readonly inner: Buffer;
	readonly outer: Buffer;
}

const padsByKey = new WeakMap<KeyObject, Pads>();
/** Node clears the memory of a KeyObject when it is collected; so are its pads. */
const collected = new FinalizationRegistry<Pads>(({ inner, outer }) => {
	inner.fill(0);
	outer.fill(0);
});

/** The HMAC of `latin1`, one byte a character, as 64 lower-case hex digits. */
export function hmacSha256Hex(key: KeyObject, latin1: string): string {
	const { inner, outer } = padsOf(key);
	const end = BLOCK + latin1.length;
	const bytes = latin1.length <= SHARED_MAX ? innerBytes : Buffer.allocUnsafeSlow(end);
	inner.copy(bytes);
	bytes.write(latin1, BLOCK, "latin1");
	outer.copy(outerBytes);
	outerBytes.write(hash("sha256", bytes.subarray(0, end), "latin1"), BLOCK, "latin1");
	const hex = hash("sha256", outerBytes, "hex");
	bytes.fill(0, 0, BLOCK);
	outerBytes.fill(0, 0, BLOCK);
	return hex;
}

/** For the test of what becomes of them: nothing else reads the pads of a key. */
export function padsOf(key: KeyObject): Pads {
	const known = padsByKey.get(key);
	if (known !== undefined) return known;
	const secret = key.export();
	const block = Buffer.alloc(BLOCK);
	if (secret.length > BLOCK) block.write(hash("sha256", secret, "latin1"), "latin1");
	else secret.copy(block);
	secret.fill(0);
	const pads = { inner: masked(block, 0x36), outer: masked(block, 0x5c) };
	block.fill(0);
	padsByKey.set(key, pads);
	collected.register(key, pads);
	return pads;
}

function masked(block: Buffer, mask: number): Buffer {
	const pad = Buffer.allocUnsafeSlow(BLOCK);
	for (const [index, byte] of block.entries()) pad[index] = byte ^ mask;
	return pad;
}
