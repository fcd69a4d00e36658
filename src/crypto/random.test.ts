import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkPasswordPolicy } from "./password.ts";
import { randomBytes32, randomDigits, randomPassword, randomToken } from "./random.ts";

// Random values have no known results, so the tests check format and distribution.

test("a token is 32 bytes in 43 base64url characters, and no two are alike", () => {
	const tokens = new Set(Array.from({ length: 1000 }, randomToken));
	assert.equal(tokens.size, 1000);
	for (const token of tokens) {
		assert.match(token, /^[A-Za-z0-9_-]{43}$/);
		assert.equal(Buffer.from(token, "base64url").length, 32);
	}
});

describe("randomDigits", () => {
	test("returns exactly the given number of digits, including leading zeros", () => {
		for (let count = 1; count <= 14; count++)
			assert.match(randomDigits(count), new RegExp(`^[0-9]{${count}}$`));
		const codes = Array.from({ length: 2000 }, () => randomDigits(6));
		assert.ok(codes.some((code) => code.startsWith("0")));
	});

	test("every digit is about equally likely in every position", () => {
		const rounds = 20_000;
		const counts = Array.from({ length: 30 }, () => 0);
		for (let round = 0; round < rounds; round++) {
			for (const [place, digit] of [...randomDigits(3)].entries()) {
				const slot = place * 10 + Number(digit);
				counts[slot] = (counts[slot] ?? 0) + 1;
			}
		}
		// Seven standard deviations (42 each) from the expected 2000.
		for (const count of counts) assert.ok(Math.abs(count - rounds / 10) < 300, counts.join(" "));
	});

	test("refuses an unsupported count", () => {
		for (const count of [0, -1, 1.5, 15, Number.NaN]) assert.throws(() => randomDigits(count), RangeError);
	});
});

test("a password is 20 readable characters and satisfies the password rules", () => {
	const passwords = new Set(Array.from({ length: 200 }, randomPassword));
	assert.equal(passwords.size, 200);
	for (const password of passwords) {
		assert.match(password, /^[A-HJ-NP-Za-km-z2-9]{20}$/);
		checkPasswordPolicy(password, { username: "admin", email: "admin@localhost" });
	}
});

test("a key is 32 bytes", () => {
	assert.equal(randomBytes32().length, 32);
	assert.notDeepEqual(randomBytes32(), randomBytes32());
});
