import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { storedOAuthClient } from "../../test/harness/openid/oauth-clients.ts";
import {
	type ClientAuthMethod,
	liveSecretDigests,
	type OAuthClientType,
	revokesIssuedTokens,
} from "./oauth-client.ts";

const client = storedOAuthClient({ applicationId: "a", tenantId: "t" });

describe("liveSecretDigests", () => {
	it("returns the current secret, and the previous one until its overlap ends", () => {
		const rotated = { ...client, secretDigest: "new", previousSecretDigest: "old" };
		assert.deepEqual(liveSecretDigests(rotated, 5), ["new"]);
		const overlapping = { ...rotated, previousSecretExpiresAtMs: 10 };
		assert.deepEqual(liveSecretDigests(overlapping, 9), ["new", "old"]);
		assert.deepEqual(liveSecretDigests(overlapping, 10), ["new"]);
	});

	it("returns none without a secret, or for a method without one", () => {
		assert.deepEqual(liveSecretDigests(client, 0), []);
		const methods = ["none", "private_key_jwt"] as const;
		for (const authMethod of methods)
			assert.deepEqual(liveSecretDigests({ ...client, authMethod, secretDigest: "left over" }, 0), []);
	});
});

describe("revokesIssuedTokens", () => {
	const ends = (
		from: readonly [OAuthClientType, ClientAuthMethod],
		to: readonly [OAuthClientType, ClientAuthMethod],
	): boolean =>
		revokesIssuedTokens({ type: from[0], authMethod: from[1] }, { type: to[0], authMethod: to[1] });

	it("is true for another type or kind of credential, but not for another way to send the secret", () => {
		assert.equal(ends(["web", "client_secret_basic"], ["spa", "none"]), true);
		assert.equal(ends(["spa", "none"], ["native", "none"]), true);
		assert.equal(ends(["web", "client_secret_basic"], ["web", "private_key_jwt"]), true);
		assert.equal(ends(["web", "client_secret_basic"], ["web", "client_secret_post"]), false);
		assert.equal(ends(["web", "private_key_jwt"], ["web", "private_key_jwt"]), false);
	});
});
