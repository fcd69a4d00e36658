// What the service caches about a provider and for how long, and every algorithm of its keys.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, afterEach, before, beforeEach, describe, it, mock } from "node:test";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { ProviderConnection, ProviderGateway } from "../../src/domain/provider-gateway.ts";
import {
	BAD_CLIENT,
	type Misbehavior,
	sendJson,
	startBadProvider,
} from "../harness/providers/bad-provider.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { fails, loopbackGateway, signIn } from "./attempt.ts";

/** Algorithm, digest of its `at_hash`. */
const ALGORITHMS = [
	["RS256", "sha256"],
	["RS384", "sha384"],
	["RS512", "sha512"],
	["PS256", "sha256"],
	["PS384", "sha384"],
	["PS512", "sha512"],
	["ES256", "sha256"],
	["ES384", "sha384"],
	["ES512", "sha512"],
	["EdDSA", "sha512"],
] as const;

describe("the provider cache of the service", () => {
	let connection: ProviderConnection;
	let gateway: ProviderGateway;
	const provider = fixture(() => startBadProvider());
	before(async () => {
		connection = {
			kind: "oidc",
			clientId: BAD_CLIENT.client_id,
			clientSecretPlain: BAD_CLIENT.client_secret,
			issuer: provider.issuer,
		};
	});
	/** The tests advance this clock; the library reads it too. */
	const newGateway = () => loopbackGateway({ clock: () => Date.now() });
	beforeEach(() => {
		gateway = newGateway();
		provider.misbehave();
		mock.timers.enable({ apis: ["Date"], now: Date.now() });
	});
	afterEach(() => mock.timers.reset());
	after(() => provider.close());

	const run = () => signIn(gateway, connection, provider.visit);
	const requestsTo = (path: string) =>
		provider.received.filter((request) => request.path.endsWith(path)).length;
	/** Signs with its own key and publishes it. */
	const withKey = async (alg: string, kid: string, atHash?: string): Promise<Misbehavior> => {
		const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
		const jwk: JWK = { ...(await exportJWK(publicKey)), kid, use: "sig" };
		return {
			document: { id_token_signing_alg_values_supported: [alg] },
			...(atHash === undefined ? {} : { claims: { at_hash: atHash } }),
			jwks: (response) => sendJson(response, { keys: [provider.key.publicJwk, jwk] }),
			sign: (claims) => new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey),
		};
	};

	it("keeps document and keys for five minutes", async () => {
		for (let turn = 0; turn < 3; turn++) await run();
		mock.timers.tick(299_000);
		await run();
		assert.deepEqual([requestsTo("/openid-configuration"), requestsTo("/jwks")], [1, 1]);
		mock.timers.tick(2_000);
		await run();
		assert.deepEqual([requestsTo("/openid-configuration"), requestsTo("/jwks")], [2, 2]);
	});

	it("keeps nothing of an unusable document", async () => {
		provider.misbehave({ discovery: (response) => sendJson(response, { issuer: "https://evil.example" }) });
		await fails(run(), "misconfigured", /another issuer/);
		provider.misbehave({ document: { token_endpoint: "http://127.0.0.1/token" } });
		await fails(run(), "misconfigured", /no https URL/);
		provider.misbehave();
		assert.equal((await run()).subject, "ann");
	});

	it("requests unknown keys at most once a minute", async () => {
		await run();
		provider.misbehave({ ...(await withKey("RS256", "two")), document: {} });
		for (let turn = 0; turn < 3; turn++) await fails(run(), "invalid_answer", /key/);
		assert.equal(requestsTo("/jwks"), 0);
		mock.timers.tick(61_000);
		assert.equal((await run()).subject, "ann");
		assert.equal(requestsTo("/jwks"), 1);
		provider.misbehave({ kid: "nobody's" });
		for (let turn = 0; turn < 3; turn++) await fails(run(), "invalid_answer", /key/);
		mock.timers.tick(61_000);
		for (let turn = 0; turn < 3; turn++) await fails(run(), "invalid_answer", /key/);
		assert.equal(requestsTo("/jwks"), 1);
	});

	it("keeps issuers apart", async () => {
		await run();
		const other = await startBadProvider();
		const theirs = { ...connection, issuer: other.issuer };
		const { privateKey } = provider.key;
		other.misbehave({
			sign: (claims) =>
				new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "good" }).sign(privateKey),
		});
		await fails(signIn(gateway, theirs, other.visit), "invalid_answer", /signature/);
		await other.close();
	});

	for (const [alg, digest] of ALGORITHMS)
		it(`accepts keys for ${alg}, and at_hash with ${digest}`, async () => {
			const hash = createHash(digest).update("the access token").digest();
			const atHash = hash.subarray(0, hash.length / 2).toString("base64url");
			provider.misbehave(await withKey(alg, "own", atHash));
			assert.equal((await run()).subject, "ann");
			gateway = newGateway();
			provider.misbehave(await withKey(alg, "own", hash.toString("base64url")));
			await fails(run(), "invalid_answer", /at_hash/);
		});
});
