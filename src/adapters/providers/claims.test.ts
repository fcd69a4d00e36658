import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProviderFailure } from "../../domain/provider-gateway.ts";
import { claimText, claimUrl, isTrue, standardProfile, subjectOf, subjectsOf } from "./claims.ts";

describe("a claim of a provider", () => {
	it("is read as text if it is text that can be stored", () => {
		assert.equal(claimText(" Ann "), "Ann");
		for (const value of ["", "  ", 7, null, undefined, {}, ["a"], "a\0b", "\ud800", "x".repeat(256)])
			assert.equal(claimText(value), null, JSON.stringify(value));
	});

	it("is read as a URL if it is https", () => {
		assert.equal(claimUrl("https://example.com/a.png"), "https://example.com/a.png");
		for (const value of [
			"http://example.com/",
			"javascript:alert(1)",
			"//x",
			"",
			7,
			`https://x/${"a".repeat(2_048)}`,
		])
			assert.equal(claimUrl(value), null, String(value).slice(0, 30));
	});

	it("is true only for explicit values", () => {
		assert.deepEqual([true, "true"].map(isTrue), [true, true]);
		for (const value of [false, "false", "TRUE", 1, "1", "yes", null, undefined, {}])
			assert.equal(isTrue(value), false);
	});

	it("keeps the subject unchanged, or is refused", () => {
		assert.equal(subjectOf(" a "), " a ");
		assert.equal(subjectOf("x".repeat(255)).length, 255);
		for (const value of ["", " ", "\t", 7, null, undefined, "a\0", "\udfff", "x".repeat(256)])
			assert.throws(() => subjectOf(value), ProviderFailure);
	});

	it("uses the wider id if there is one, with the narrower id as an alias", () => {
		assert.deepEqual(subjectsOf("open", "union", "u"), { subject: "union", otherSubjects: ["open"] });
		for (const nothing of [undefined, null, ""])
			assert.deepEqual(subjectsOf("open", nothing, "u"), { subject: "open", otherSubjects: [] });
		for (const bad of [7, {}, " ", "x".repeat(256)])
			assert.throws(() => subjectsOf("open", bad, "u"), ProviderFailure);
	});

	it("does not verify an absent address", () => {
		const { email, isEmailVerified } = standardProfile({ sub: "1", email: 7, email_verified: true });
		assert.deepEqual([email, isEmailVerified], [null, false]);
	});
});
