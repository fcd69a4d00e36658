import assert from "node:assert/strict";
import { createSecretKey, hkdfSync } from "node:crypto";
import { describe, test } from "node:test";
import { createKeyDerivation, hkdfSha256 } from "./derived-keys.ts";

describe("keys derived from a root", () => {
	const root = Buffer.alloc(32, 3);

	test("are HKDF-SHA256 of the root and the purpose", () => {
		const expected = Buffer.from(hkdfSync("sha256", root, Buffer.alloc(0), "latchkey derive v1 codes", 32));
		assert.deepEqual(createKeyDerivation(root).deriveKey("codes").export(), expected);
	});

	test("differ by root and purpose, but not by process", () => {
		const derived = (byte: number, purpose: string) =>
			createKeyDerivation(Buffer.alloc(32, byte)).deriveKey(purpose).export().toString("hex");
		assert.equal(derived(3, "codes"), derived(3, "codes"));
		assert.notEqual(derived(3, "codes"), derived(3, "names"));
		assert.notEqual(derived(3, "codes"), derived(4, "codes"));
	});

	test("a root has 32 bytes", () => {
		assert.throws(() => createKeyDerivation(Buffer.alloc(31)), RangeError);
	});
});

function hex(text: string): Buffer {
	return Buffer.from(text, "hex");
}

function bytes(from: number, to: number): Buffer {
	return Buffer.from(Array.from({ length: to - from + 1 }, (_, index) => from + index));
}

function derive(inputKey: Buffer, salt: Buffer, info: Buffer, lengthBytes: number): string {
	return hkdfSha256(createSecretKey(inputKey), salt, info, lengthBytes).export().toString("hex");
}

test("RFC 5869, A.1: basic", () => {
	assert.equal(
		derive(Buffer.alloc(22, 0x0b), hex("000102030405060708090a0b0c"), hex("f0f1f2f3f4f5f6f7f8f9"), 42),
		"3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
	);
});

test("RFC 5869, A.2: longer inputs and output", () => {
	assert.equal(
		derive(bytes(0x00, 0x4f), bytes(0x60, 0xaf), bytes(0xb0, 0xff), 82),
		"b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
	);
});

test("RFC 5869, A.3: no salt, no info", () => {
	assert.equal(
		derive(Buffer.alloc(22, 0x0b), hex(""), hex(""), 42),
		"8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
	);
});
