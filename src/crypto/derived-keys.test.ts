import assert from "node:assert/strict";
import { hkdfSync } from "node:crypto";
import { describe, test } from "node:test";
import { createKeyDerivation } from "./derived-keys.ts";

describe("keys derived from a root", () => {
	const root = Buffer.alloc(32, 3);

	test("are HKDF-SHA256 of it, by purpose", () => {
		const expected = Buffer.from(hkdfSync("sha256", root, Buffer.alloc(0), "latchkey derive v1 codes", 32));
		assert.deepEqual(createKeyDerivation(root).deriveKey("codes").export(), expected);
	});

	test("differ by root and by purpose, and not by process", () => {
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
