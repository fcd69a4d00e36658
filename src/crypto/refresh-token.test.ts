import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { describe, it } from "node:test";
import { refreshSuccessor } from "./refresh-token.ts";

describe("refreshSuccessor", () => {
	it("is HMAC-SHA256: RFC 4231, test case 2", () => {
		const key = createSecretKey(Buffer.from("Jefe"));
		const successor = refreshSuccessor(key, "what do ya want for nothing?");
		assert.equal(
			Buffer.from(successor, "base64url").toString("hex"),
			"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
		);
		assert.match(successor, /^[A-Za-z0-9_-]{43}$/);
	});

	it("gives another successor under another key and for another token", () => {
		const [one, other] = [createSecretKey(Buffer.alloc(32, 1)), createSecretKey(Buffer.alloc(32, 2))];
		assert.equal(refreshSuccessor(one, "a"), refreshSuccessor(one, "a"));
		assert.notEqual(refreshSuccessor(one, "a"), refreshSuccessor(other, "a"));
		assert.notEqual(refreshSuccessor(one, "a"), refreshSuccessor(one, "b"));
	});
});
