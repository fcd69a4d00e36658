import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PROVIDER } from "./identity-provider.ts";
import { checkProviderUserId } from "./third-party-account.ts";

describe("a provider", () => {
	it("is a slug of at most 64 characters", () => {
		for (const good of ["a", "0", "wechat", "my_provider-2", "a".repeat(64)]) assert.match(good, PROVIDER);
		for (const bad of ["", "A", "-a", "_a", "a b", "a.b", "a\n", "é", "a".repeat(65)])
			assert.doesNotMatch(bad, PROVIDER);
	});
});

describe("a provider's id of a user", () => {
	it("is any visible text that can be stored", () => {
		for (const good of ["1", " a ", "漢", "😀", "a\tb"]) checkProviderUserId(good);
		for (const bad of ["", " ", "\t\u3000\n", "a\0", "a\ud800"])
			assert.throws(() => checkProviderUserId(bad), {
				code: "request.invalid",
				message: /^provider_user_id must /,
			});
	});
});
