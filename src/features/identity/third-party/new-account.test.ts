import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProviderProfile } from "../../../domain/provider-gateway.ts";
import { accountFields } from "./new-account.ts";

const PROFILE: ProviderProfile = {
	subject: "1",
	otherSubjects: [],
	email: null,
	isEmailVerified: false,
	username: null,
	displayName: null,
	avatarUrl: null,
};

describe("accountFields", () => {
	it("takes the provider's name without hidden characters, or none if nothing visible is left", () => {
		for (const [displayName, expected] of [
			[null, ""],
			["Ada\u202e\u200b  Lovelace\n", "Ada Lovelace"],
			[
				"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
				"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
			],
			["\u200b\u3164\ud800", ""],
			[`${"\u0645".repeat(99)}\u200c\u0645`, "\u0645".repeat(99)],
			["\u{1f600}".repeat(101), ""],
		] as const)
			assert.equal(accountFields({ ...PROFILE, displayName }, "1").displayName, expected);
	});
});
