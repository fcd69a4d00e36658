import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseMasterKeys, SecretBox, SecretBoxError } from "./secret-box.ts";

const KEY_A = Buffer.alloc(32, 0xa1);
const KEY_B = Buffer.alloc(32, 0xb2);
const CONTEXT = "api_client:0190d6c1-0000-7000-8000-000000000001";
const PLAIN = "sk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

function refused(message: RegExp) {
	return (error: unknown) => {
		assert.ok(error instanceof SecretBoxError);
		assert.match(error.message, message);
		assert.ok(!error.message.includes(PLAIN) && !error.message.includes(KEY_A.toString("base64")));
		return true;
	};
}

describe("seal and open", () => {
	const box = new SecretBox([KEY_A]);

	test("opening returns the plain text, and sealing never returns the same text twice", () => {
		const sealed = box.seal(PLAIN, CONTEXT);
		assert.match(sealed, /^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/);
		assert.ok(sealed.startsWith(`v1.${box.keyId}.`));
		assert.equal(box.open(sealed, CONTEXT), PLAIN);
		assert.notEqual(box.seal(PLAIN, CONTEXT), sealed);
		for (const text of ["", "é 漢字 🔑", "x".repeat(10_000)]) {
			assert.equal(box.open(box.seal(text, CONTEXT), CONTEXT), text);
		}
	});

	// Sealed by an independent implementation (HKDF from Python's hmac, AES-GCM from WebCrypto): the stored form
	// must never change, because stored data uses it.
	test("a text sealed by another implementation opens", () => {
		assert.equal(box.keyId, "4f8068db");
		assert.equal(
			box.open("v1.4f8068db.AAECAwQFBgcICQoLiyppoWMlcvVZdvmIXlAb3nRzKFTpkG5LDQ", "api_client:golden"),
			"sk_golden",
		);
	});

	test("any character changed is refused", () => {
		const sealed = box.seal(PLAIN, CONTEXT);
		for (let at = 0; at < sealed.length; at++) {
			for (const other of ["A", "B", "0", "."]) {
				if (sealed[at] === other) continue;
				const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
				assert.throws(() => box.open(changed, CONTEXT), SecretBoxError, changed);
			}
		}
	});

	test("the unused bits of the last character are checked too", () => {
		// 28 bytes end in a character of which four bits are unused.
		const sealed = box.seal("", CONTEXT);
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
		const others = [...alphabet].filter((letter) => letter !== sealed.at(-1));
		for (const letter of others) {
			assert.throws(() => box.open(sealed.slice(0, -1) + letter, CONTEXT), SecretBoxError);
		}
	});

	const malformed = [
		"",
		"v1",
		"v1..",
		"plain text",
		"v2.00000000.AAAA",
		"v1.zzzzzzzz.AAAA",
		`v1.${"0".repeat(8)}.`,
	];
	for (const text of malformed) {
		test(`${JSON.stringify(text)} is not a sealed text`, () => {
			assert.throws(() => box.open(text, CONTEXT), refused(/not a sealed text/));
		});
	}

	test("a truncated, padded, or broken text is refused", () => {
		const sealed = box.seal(PLAIN, CONTEXT);
		for (const text of [
			sealed.slice(0, -1),
			sealed.slice(0, 40),
			`${sealed}=`,
			`${sealed}\n`,
			`${sealed}AAAA`,
		]) {
			assert.throws(() => box.open(text, CONTEXT), SecretBoxError);
		}
	});

	test("another context is refused", () => {
		const sealed = box.seal(PLAIN, CONTEXT);
		for (const context of ["", `${CONTEXT}0`, CONTEXT.toUpperCase()]) {
			assert.throws(() => box.open(sealed, context), refused(/changed or belongs to another record/));
		}
	});
});

describe("several master keys", () => {
	const old = new SecretBox([KEY_A]);
	const both = new SecretBox([KEY_B, KEY_A]);
	const next = new SecretBox([KEY_B]);

	test("the first seals, all open", () => {
		assert.equal(both.open(old.seal(PLAIN, CONTEXT), CONTEXT), PLAIN);
		assert.equal(both.keyId, next.keyId);
		assert.equal(next.open(both.seal(PLAIN, CONTEXT), CONTEXT), PLAIN);
	});

	test("the error names the id of a missing key", () => {
		assert.throws(
			() => next.open(old.seal(PLAIN, CONTEXT), CONTEXT),
			refused(new RegExp(`master key ${old.keyId}`)),
		);
	});

	test("a text under one key's id does not open with another key", () => {
		const [, , body] = old.seal(PLAIN, CONTEXT).split(".");
		assert.throws(() => both.open(`v1.${next.keyId}.${body}`, CONTEXT), refused(/changed or belongs/));
	});

	test("a changed list is read before the next sealing, and when a text names an unknown key", () => {
		let changed: Buffer[] | undefined;
		const reread = (): Buffer[] | undefined => {
			const keys = changed;
			changed = undefined;
			return keys;
		};
		const box = new SecretBox([KEY_A], reread);
		const other = new SecretBox([KEY_B]);
		const derived = box.deriveKey("codes");
		const sealedBefore = box.seal("before", "c");
		changed = [KEY_B, KEY_A];
		assert.equal(box.open(other.seal("theirs", "c"), "c"), "theirs");
		assert.deepEqual(box.keyIds, [other.keyId, new SecretBox([KEY_A]).keyId]);
		assert.equal(other.open(box.seal("after", "c"), "c"), "after");
		changed = [KEY_B];
		assert.equal(other.open(box.seal("alone", "c"), "c"), "alone");
		assert.equal(box.open(sealedBefore, "c"), "before", "a known key still opens its texts");
		assert.ok(box.deriveKey("codes").equals(derived), "derived keys do not change");
	});

	test("an empty list, a wrong length, or a duplicate key is refused", () => {
		assert.throws(() => new SecretBox([]), refused(/no master key/));
		assert.throws(() => new SecretBox([KEY_A, Buffer.alloc(31)]), refused(/master key 2 has 31 bytes/));
		assert.throws(() => new SecretBox([KEY_A, KEY_B, KEY_A]), refused(/master key 3 .* twice/));
	});
});

describe("deriveKey", () => {
	const box = new SecretBox([KEY_A, KEY_B]);

	test("the same purpose yields the same key, which depends only on the first master key", () => {
		assert.ok(box.deriveKey("codes").equals(box.deriveKey("codes")));
		assert.ok(box.deriveKey("codes").equals(new SecretBox([KEY_A]).deriveKey("codes")));
		assert.ok(!box.deriveKey("codes").equals(new SecretBox([KEY_B, KEY_A]).deriveKey("codes")));
	});

	test("another purpose yields another key, never the master key", () => {
		assert.ok(!box.deriveKey("codes").equals(box.deriveKey("cookies")));
		assert.notDeepEqual(box.deriveKey("codes").export(), KEY_A);
		assert.equal(box.deriveKey("codes").symmetricKeySize, 32);
	});

	test("matches a known answer (computed with Python's hmac according to RFC 5869)", () => {
		assert.equal(
			box.deriveKey("codes").export().toString("hex"),
			"c9caa278772189b1481657f75ff7bd10c644ef3ab04c9904031805b20bc70a6e",
		);
	});
});

describe("parseMasterKeys", () => {
	const a = KEY_A.toString("base64");
	const b = KEY_B.toString("base64");

	test("one key, or several with space around them", () => {
		assert.deepEqual(parseMasterKeys(a), [KEY_A]);
		assert.deepEqual(parseMasterKeys(`${a}, ${b}\n`), [KEY_A, KEY_B]);
	});

	const refusals: [string, RegExp][] = [
		["", /master key 1 has 0 bytes instead of 32/],
		[`${a},`, /master key 2 has 0 bytes/],
		[`${a},${Buffer.alloc(16).toString("base64")}`, /master key 2 has 16 bytes instead of 32/],
		[Buffer.alloc(33).toString("base64"), /master key 1 has 33 bytes/],
		[a.slice(0, -1), /master key 1 is not base64/],
		[KEY_A.toString("hex"), /master key 1 has 48 bytes/],
		[Buffer.alloc(32, 0xff).toString("base64url"), /master key 1 is not base64/],
		["correct horse battery staple", /master key 1 is not base64/],
		[`${a};${b}`, /master key 1 is not base64/],
	];
	for (const [text, message] of refusals) {
		test(`${JSON.stringify(text.slice(0, 20))}… is refused`, () => {
			assert.throws(() => parseMasterKeys(text), refused(message));
		});
	}
});
