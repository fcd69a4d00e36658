import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { describe, test } from "node:test";
import { createRunningDigest, isTextMac, textMac } from "./running-digest.ts";

describe("a running digest", () => {
	test("is the SHA-256 of all that was added (FIPS 180-4, B.1 and B.2)", () => {
		const one = createRunningDigest();
		one.add("a");
		one.add("bc");
		assert.equal(one.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
		const two = createRunningDigest();
		two.add("abcdbcdecdefdefgefghfghighij");
		two.add("hijkijkljklmklmnlmnomnopnopq");
		assert.equal(two.hex(), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	});
});

describe("the MAC of a text", () => {
	const key = createSecretKey(Buffer.from("Jefe"));
	const text = "what do ya want for nothing?";
	// RFC 4231, test case 2.
	const mac = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

	test("is HMAC-SHA256", () => {
		assert.equal(textMac(key, text), mac);
	});

	test("proves that text under that key only", () => {
		assert.equal(isTextMac(key, text, mac), true);
		assert.equal(isTextMac(key, `${text} `, mac), false);
		assert.equal(isTextMac(createSecretKey(Buffer.from("jefe")), text, mac), false);
		assert.equal(isTextMac(key, text, mac.slice(1)), false);
	});
});
