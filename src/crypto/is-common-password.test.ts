import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atDepth } from "../../test/harness/runs/depth.ts";
import { ENDINGS, LEAKED, STEMS } from "./common-passwords.ts";
import { isCommonPassword } from "./is-common-password.ts";

/** Each stem is tested with every nth ending, and each ending with some stem. */
const STEP = atDepth({ quick: 20, all: 20, long: 1 });

test("refuses the leaked passwords, and every stem with an ending, of 8 to 16 characters", () => {
	let count = LEAKED.size;
	for (const leaked of LEAKED) {
		assert.equal(leaked, leaked.toLowerCase());
		assert.ok(leaked.length >= 8, leaked);
		assert.ok(isCommonPassword(leaked), leaked);
	}
	for (const [place, stem] of [...STEMS].entries()) {
		assert.equal(stem, stem.toLowerCase());
		for (const [index, ending] of [...ENDINGS].entries()) {
			if (index % STEP !== place % STEP) continue;
			if (stem.length + ending.length < 8 || stem.length + ending.length > 16) continue;
			count += 1;
			assert.ok(isCommonPassword(stem + ending), stem + ending);
		}
	}
	assert.ok(count > 3_000, String(count));
});

// The most frequent passwords of published leaks (Have I Been Pwned, NCSC 2019, RockYou), 8 characters or longer.
const heads = `password 12345678 123456789 1234567890 iloveyou princess 1q2w3e4r 1q2w3e4r5t qwertyuiop sunshine
	football baseball trustno1 superman passw0rd password1 password123 1qaz2wsx zaq12wsx q1w2e3r4 qwerty123
	abcd1234 11111111 88888888 00000000 123123123 987654321 87654321 1234qwer asdfghjkl zxcvbnm1 michelle
	jennifer starwars computer whatever liverpool butterfly chocolate manchester jonathan elizabeth 12341234
	aa123456 a1b2c3d4 qwer1234 asdf1234 p@ssw0rd admin123 welcome1 letmein1 charlie1 mustang1
	sunshine1 dragon123 monkey123 shadow123 master123 michael1 ashley12 jordan23 harley01 summer2024 autumn23`;

describe("frequent in leaks", () => {
	for (const password of heads.split(/\s+/)) {
		test(password, () => assert.equal(isCommonPassword(password), true));
	}
});

describe("variations of common passwords", () => {
	const dressed = [
		"PASSWORD",
		"Password1!",
		"Password@123",
		"P@$$w0rd",
		"Sunshine2024!",
		"Summer2025",
		"Winter_2023",
		"January1987",
		"Welcome123!",
		"L3tm31n99",
		"Ch4rli3!",
		"ｐａｓｓｗｏｒｄ１",
		"Qwerty123456",
		"qwertyuiop[]",
		"0987654321",
		"zyxwvuts",
		"aaaaaaaaaaaa",
		"abababab",
		"abcabcabc",
		"12341234!",
		"1qaz2wsx3edc",
		"!QAZ2wsx",
		"manchester1!",
	];
	for (const password of dressed) {
		test(password, () => assert.equal(isCommonPassword(password), true));
	}
});

describe("not common", () => {
	const taken = [
		"correct horse battery staple",
		"Tr0ub4dor&3",
		"kx7Rm2vQp9Ld",
		"violet-canyon-93",
		"Zürich im Regen",
		"mein Fahrrad ist grün",
		"passwordless-is-better",
		"sunshine over the hills",
		"一二三四五六七八",
		"🔑🐎🔋📎🌊🧭🪁🥝",
		`xxxy7Kq${"z".repeat(65)}`,
	];
	for (const password of taken) {
		test(password, () => assert.equal(isCommonPassword(password), false));
	}
});

test("accepts patterns of more than 16 characters, unless the exact text leaked", () => {
	for (const long of ["a".repeat(72), `${"é".repeat(35)}42`, "abcd".repeat(5), `sunshine${"1".repeat(10)}`]) {
		assert.equal(isCommonPassword(long), false, long);
	}
	assert.equal(isCommonPassword("a".repeat(16)), true);
	assert.equal(isCommonPassword("a".repeat(17)), false);
});
