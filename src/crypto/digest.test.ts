import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { describe, it, test } from "node:test";
import {
	codeDigest,
	createKeyedDigest,
	createRunningDigest,
	equalTexts,
	isTextMac,
	matchesDigest,
	refreshSuccessor,
	sha256Base64url,
	sha256Hex,
	textMac,
	tokenDigest,
} from "./digest.ts";

describe("SHA-256", () => {
	// NIST "Examples with Intermediate Values" for FIPS 180-4, and the digest of empty input.
	const known: [string, string][] = [
		["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
		["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
		[
			"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
		],
		["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
	];
	for (const [text, hex] of known) {
		test(`of ${JSON.stringify(text.slice(0, 10))}, ${text.length} characters`, () => {
			assert.equal(sha256Hex(text), hex);
			assert.equal(sha256Hex(Buffer.from(text)), hex);
			assert.equal(sha256Base64url(text), Buffer.from(hex, "hex").toString("base64url"));
		});
	}

	// RFC 7636, appendix B: the S256 challenge of this verifier.
	test("as base64url", () => {
		const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
		assert.equal(tokenDigest(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
	});
});

describe("codeDigest", () => {
	const key = createSecretKey(Buffer.alloc(32, 7));

	test("is HMAC-SHA256 of the three values as a JSON array (computed with Python's hmac)", () => {
		assert.equal(
			codeDigest(key, "register", "ada@example.com", "012345"),
			"3m3nceYrNzHQBBmmiqI-UVZy7gCmI-brbeW4-hTQzNg",
		);
	});

	test("differs by key, purpose, address, and code, and by the boundaries between them", () => {
		const digests = [
			codeDigest(key, "register", "ada@example.com", "012345"),
			codeDigest(createSecretKey(Buffer.alloc(32, 8)), "register", "ada@example.com", "012345"),
			codeDigest(key, "login", "ada@example.com", "012345"),
			codeDigest(key, "register", "eve@example.com", "012345"),
			codeDigest(key, "register", "ada@example.com", "012346"),
			codeDigest(key, "register", "ada@example.com0", "12345"),
			codeDigest(key, "registera", "da@example.com", "012345"),
			codeDigest(key, 'register","ada@example.com', "", "012345"),
		];
		assert.equal(new Set(digests).size, digests.length);
		for (const digest of digests) assert.match(digest, /^[A-Za-z0-9_-]{43}$/);
	});
});

test("equalTexts never throws", () => {
	assert.equal(equalTexts("abc", "abc"), true);
	assert.equal(equalTexts("", ""), true);
	assert.equal(equalTexts("abc", "abd"), false);
	assert.equal(equalTexts("abc", "ab"), false);
	assert.equal(equalTexts("abc", ""), false);
	// The same number of characters, not of bytes.
	assert.equal(equalTexts("aé", "ae"), false);
	assert.equal(equalTexts("é", "é"), true);
});

test("matchesDigest accepts a token only if one of the digests is its own", () => {
	const digests = ["current", "previous"].map(tokenDigest);
	assert.equal(matchesDigest("current", digests), true);
	assert.equal(matchesDigest("previous", digests), true);
	assert.equal(matchesDigest("other", digests), false);
	assert.equal(matchesDigest(digests[0] ?? "", digests), false);
	assert.equal(matchesDigest("current", []), false);
});

describe("refreshSuccessor", () => {
	test("is HMAC-SHA256: RFC 4231, test case 2", () => {
		const key = createSecretKey(Buffer.from("Jefe"));
		const successor = refreshSuccessor(key, "what do ya want for nothing?");
		assert.equal(
			Buffer.from(successor, "base64url").toString("hex"),
			"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
		);
		assert.match(successor, /^[A-Za-z0-9_-]{43}$/);
	});

	test("returns another successor under another key and for another token", () => {
		const [one, other] = [createSecretKey(Buffer.alloc(32, 1)), createSecretKey(Buffer.alloc(32, 2))];
		assert.equal(refreshSuccessor(one, "a"), refreshSuccessor(one, "a"));
		assert.notEqual(refreshSuccessor(one, "a"), refreshSuccessor(other, "a"));
		assert.notEqual(refreshSuccessor(one, "a"), refreshSuccessor(one, "b"));
	});
});

describe("a running digest", () => {
	test("is the SHA-256 of all added texts (FIPS 180-4, B.1 and B.2)", () => {
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

	test("matches only this text and this key", () => {
		assert.equal(isTextMac(key, text, mac), true);
		assert.equal(isTextMac(key, `${text} `, mac), false);
		assert.equal(isTextMac(createSecretKey(Buffer.from("jefe")), text, mac), false);
		assert.equal(isTextMac(key, text, mac.slice(1)), false);
	});
});

describe("createKeyedDigest", () => {
	it("returns 32 one-byte characters, equal only for the same text and key", () => {
		const digest = createKeyedDigest();
		assert.match(digest("text"), /^[\0-\xff]{32}$/);
		assert.equal(digest("text"), digest("text"));
		assert.notEqual(digest("text"), digest("text "));
		assert.notEqual(digest("text"), createKeyedDigest()("text"));
	});

	it("uses all byte values", () => {
		const digest = createKeyedDigest();
		const bytes = new Set<number>();
		for (let count = 0; count < 1_000; count++)
			for (const byte of digest(`${count}`)) bytes.add(byte.charCodeAt(0));
		assert.equal(bytes.size, 256);
	});
});
