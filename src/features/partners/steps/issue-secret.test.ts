import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { randomBytes32 } from "../../../crypto/random.ts";
import { SecretBox } from "../../../crypto/secret-box.ts";
import { API_KEY } from "../../../domain/api-client.ts";
import { liveSecrets, secretContext } from "../../../domain/client-secret.ts";
import { issueApiKey, issueSecret } from "./issue-secret.ts";

describe("issueApiKey", () => {
	it("returns a new API key each time", () => {
		const keys = new Set(Array.from({ length: 1_000 }, issueApiKey));
		assert.equal(keys.size, 1_000);
		for (const key of keys) {
			assert.match(key, API_KEY);
			assert.equal(key.length, 27);
		}
	});
});

describe("issueSecret", () => {
	const box = new SecretBox([randomBytes32()]);

	it("has 256 bits, opens only for its client, and has a hint of four characters", () => {
		const { secretPlain, secretSealed, secretHint } = issueSecret(box, "client-1");
		assert.match(secretPlain, /^sk_[A-Za-z0-9_-]{43}$/);
		assert.equal(box.open(secretSealed, secretContext("client-1")), secretPlain);
		assert.throws(() => box.open(secretSealed, secretContext("client-2")));
		assert.equal(secretHint, secretPlain.slice(43 + 3 - 4));
		assert.ok(!secretSealed.includes(secretPlain.slice(3)));
		assert.notEqual(issueSecret(box, "client-1").secretPlain, secretPlain);
	});
});

describe("liveSecrets", () => {
	const both = { secretSealed: "new", previousSecretSealed: "old", previousSecretExpiresAtMs: 100 };

	it("returns the current Secret, and the previous one during an overlap", () => {
		assert.deepEqual(liveSecrets(both, 99), ["new", "old"]);
		assert.deepEqual(liveSecrets(both, 100), ["new"]);
		assert.deepEqual(liveSecrets({ ...both, previousSecretExpiresAtMs: null }, 0), ["new"]);
		assert.deepEqual(liveSecrets({ ...both, previousSecretSealed: null }, 0), ["new"]);
		assert.deepEqual(liveSecrets({ ...both, secretSealed: null }, 99), ["old"]);
		assert.deepEqual(liveSecrets({ ...both, secretSealed: null }, 100), []);
	});
});
