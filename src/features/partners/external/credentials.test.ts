// The work of a refused signature does not show whether its client exists.

import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { type SignedParts, secretKey, signRequest } from "../../../crypto/request-signature.ts";
import { parseMasterKeys, SecretBox } from "../../../crypto/secret-box.ts";
import { secretContext } from "../../../domain/client-secret.ts";
import type { SigningClient } from "../../../domain/signing-client.ts";
import { checkCredentials, createClientCache } from "./credentials.ts";

const ROUNDS_MIN = 20;
const ROUNDS_MAX = 1_200;
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

/**
 * Microseconds of a call, the least of many rounds, which take turns. Other work of the machine only adds to a round, so it
 * ends when the costs agree; real differences remain.
 */
function costs(
	clients: readonly (SigningClient | undefined)[],
	signature: string,
	calls: number,
): readonly number[] {
	const least = clients.map(() => Number.POSITIVE_INFINITY);
	for (let round = 1; round <= ROUNDS_MAX; round++) {
		for (const [index, client] of clients.entries()) {
			const before = performance.now();
			for (let call = 0; call < calls; call++) checkCredentials(cache, client, parts, signature, NOW);
			const micros = ((performance.now() - before) * 1_000) / calls;
			least[index] = Math.min(least[index] as number, micros);
		}
		if (round >= ROUNDS_MIN && isWithin(least)) break;
	}
	return least;
}

/** 10 %. */
function isWithin([first = 0, ...others]: readonly number[]): boolean {
	return others.every((cost) => Math.abs(cost / first - 1) <= 0.1);
}

describe("a refused signature costs the same for an unknown client", () => {
	const { privateKey } = generateKeyPairSync("ed25519");
	for (const [length, key, calls] of [
		[128, privateKey, 10],
		[64, secretKey("sk_of_another"), 200],
	] as const)
		it(`with ${length} digits, within 10 % of a client with a Secret, one key, and two keys`, () => {
			const signature = signRequest(key, parts);
			assert.equal(signature.length, length);
			const found = costs([undefined, ...[0, 1, 2].map(clientWith)], signature, calls);
			assert.ok(isWithin(found), `${found} µs`);
		});
});
