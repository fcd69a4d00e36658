// The work of a refused signature does not show whether its client exists.

import assert from "node:assert/strict";
import crypto, { generateKeyPairSync, randomBytes } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { describe, it, type TestContext } from "node:test";
import { type SignedParts, secretKey, signRequest } from "../../../crypto/request-signature.ts";
import { parseMasterKeys, SecretBox } from "../../../crypto/secret-box.ts";
import { secretContext } from "../../../domain/client-secret.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import { checkCredentials, createClientCache } from "./credentials.ts";

/** Those that can take longer for one client than for another. */
const OPERATIONS = ["verify", "createHmac", "createPublicKey", "createSecretKey", "timingSafeEqual"] as const;
const NOW = 1_760_000_000_000;

const box = new SecretBox(parseMasterKeys(randomBytes(32).toString("base64")));
const cache = createClientCache(box);
const parts: SignedParts = {
	method: "GET",
	target: "/api/v1/external/whoami",
	tenantId: "11111111-1111-4111-8111-111111111111",
	appId: "22222222-2222-4222-8222-222222222222",
	apiKey: "ak_0123456789abcdef0123456789",
	timestamp: "1760000000",
	nonce: "n0nce-AAAAAAAAAAAAAA01",
	bodySha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
};

function clientWith(keys: number): SigningClient {
	const publicKeys = Array.from({ length: keys }, (_, index) => ({
		id: `key-${index}`,
		x: generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x,
		createdAtMs: NOW,
		reviewedAtMs: NOW,
		reviewedBy: null,
		isHeld: false,
		overlapSeconds: 0,
	}));
	const id = `client-${keys}`;
	return {
		id,
		name: "Partner",
		tenantId: parts.tenantId,
		appId: parts.appId,
		mode: "live",
		status: "active",
		expiresAtMs: null,
		ipAllowlistMode: "enforce",
		previousSecretExpiresAtMs: null,
		previousSecretSealed: null,
		secretSealed: keys === 0 ? box.seal("sk_secret", secretContext(id)) : null,
		appStatus: "active",
		scopes: "[]",
		ipAllowlist: "[]",
		publicKeys: JSON.stringify(publicKeys),
	};
}

/** The operations of `node:crypto` while a signature by an unknown key is refused, each with the type of its key. */
function work(context: TestContext, client: SigningClient | undefined, signature: string): string[] {
	const refuse = () => checkCredentials(cache, client, parts, signature, NOW);
	assert.equal(refuse().signedWith, undefined, "the first call fills the cache");
	const done: string[] = [];
	for (const name of OPERATIONS) {
		const operation = crypto[name] as (...values: unknown[]) => unknown;
		context.mock.method(crypto, name, (...values: unknown[]) => {
			const keys = values.filter((value) => value instanceof crypto.KeyObject);
			done.push([name, ...keys.map((key) => key.asymmetricKeyType ?? key.type)].join(" "));
			return operation(...values);
		});
	}
	syncBuiltinESMExports();
	refuse();
	context.mock.restoreAll();
	syncBuiltinESMExports();
	return done;
}

describe("a refused signature takes the same work for an unknown client, one with a Secret, one key, and two keys", () => {
	const clients = [undefined, ...[0, 1, 2].map(clientWith)];

	it("with 128 digits: two verifications, since a client has at most two keys", (context) => {
		const signature = signRequest(generateKeyPairSync("ed25519").privateKey, parts);
		assert.equal(signature.length, 128);
		for (const client of clients)
			assert.deepEqual(
				work(context, client, signature),
				["verify ed25519", "verify ed25519"],
				`${client?.id}`,
			);
	});

	it("with 64 digits: one HMAC", (context) => {
		const signature = signRequest(secretKey("sk_of_another"), parts);
		assert.equal(signature.length, 64);
		for (const client of clients)
			assert.deepEqual(
				work(context, client, signature),
				["createHmac secret", "timingSafeEqual"],
				`${client?.id}`,
			);
	});
});
