import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sha256Base64url } from "./digest.ts";
import { issueRecoveryCode, recoveryCodeDigest } from "./recovery-code.ts";

describe("recovery codes", () => {
	it("are six groups of four unambiguous characters, and every character occurs in every position", () => {
		const codes = Array.from({ length: 2_000 }, issueRecoveryCode);
		assert.equal(new Set(codes).size, codes.length);
		for (const code of codes) assert.match(code, /^(?:[0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/);
		for (const place of [0, 11, 28])
			assert.equal(new Set(codes.map((code) => code[place])).size, 32, `place ${place}`);
	});

	it("are stored as the SHA-256 of their characters", () => {
		const code = "0123-4567-89AB-CDEF-GHJK-MNPQ";
		assert.equal(recoveryCodeDigest(code), sha256Base64url("0123456789ABCDEFGHJKMNPQ"));
	});

	it("are accepted with or without dashes and spaces, in either case", () => {
		const code = "0123-4567-89AB-CDEF-GHJK-MNPQ";
		for (const typed of [
			code.toLowerCase(),
			code.replaceAll("-", ""),
			` ${code.replaceAll("-", " ")}\n`,
			"ol23-4567-89ab-cdef-ghjk-mnpq",
			"OI23-4567-89ab-cdef-ghjk-mnpq",
		])
			assert.equal(recoveryCodeDigest(typed), recoveryCodeDigest(code), typed);
	});

	it("are not recognized in other text", () => {
		for (const typed of [
			"",
			"0123",
			"U123-4567-89AB-CDEF-GHJK-MNPQ",
			"0123-4567-89AB-CDEF-GHJK-MNPQ-0",
			"é".repeat(24),
		])
			assert.equal(recoveryCodeDigest(typed), undefined, typed);
	});
});
