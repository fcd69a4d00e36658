// Access tokens bound to a key of the client (DPoP, RFC 9449); on PostgreSQL with two nodes.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { decodeJwt, exportJWK } from "jose";
import * as client from "openid-client";
import {
	assertionOf,
	keySettings,
	makeClientKey,
	sendAssertion,
} from "../harness/openid/client-assertion.ts";
import { makeProofKey, type ProofKey, proofOf, userinfoClaims } from "../harness/openid/dpop-proof.ts";
import {
	basicAuth,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	fetchFrom,
	ISSUER,
	obtainTokens,
	postForm,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	type TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { type OpenIdNodes, startOpenIdNodes } from "../harness/processes/openid-nodes.ts";
import type { TestService } from "../harness/service/service.ts";

const API = "https://orders.example/api";
const COPIES = 20;
const REUSED = "invalid_dpop_proof";

describe("access tokens bound to a key", () => {
	let installation: OpenIdNodes;
	let service: TestService;
	let ada: Person;
	let browser: TestBrowser;
	let session: string;
	let app: ConnectedClient;
	let party: client.Configuration;
	let worker: ConnectedClient;
	let key: ProofKey;
	let other: ProofKey;
	before(async () => {
		installation = await startOpenIdNodes();
		service = installation.nodes[0] as TestService;
		ada = await addPerson(service, "ada");
		({ browser, token: session } = await signedInBrowser(service, ada));
		app = await connect(service, { type: "spa", authMethod: "none", firstParty: true });
		party = await relyingParty(service, app, client.None());
		await connect(service, { resource: API });
		worker = await connect(service, { type: "service", allowedResources: [API] });
		[key, other] = [await makeProofKey(), await makeProofKey()];
	});
	after(() => installation.remove());

	const handleOf = (used: ProofKey, by = party) => client.getDPoPHandle(by, used);
	async function boundTokens(used = key, by = party) {
		const asked = await startAuthorization(by);
		const returned = await completeAuthorization(browser, asked.url, session);
		return exchange(by, returned, asked, { DPoP: handleOf(used, by) });
	}
	/** Alternates between the nodes. */
	const nodeOf = (index: number) => installation.nodes[index % installation.nodes.length] as TestService;

	async function userinfo(token: string, proof: string | undefined, headers = {}, at = service) {
		const response = await fetchFrom(at)(`${ISSUER}/oauth/userinfo`, {
			headers: {
				authorization: `DPoP ${token}`,
				...(proof === undefined ? {} : { dpop: proof }),
				...headers,
			},
		});
		const { error } = (await response.json()) as { error?: string };
		return { status: response.status, error, challenge: response.headers.get("www-authenticate") ?? "" };
	}
	async function tokenOfWorker(proof: string, headers = {}, at = service) {
		const fields = { grant_type: "client_credentials", resource: API };
		const own = { authorization: basicAuth(worker), dpop: proof, ...headers };
		const { status, body } = await postForm(at, "/oauth/token", fields, own);
		return { status, ...body };
	}

	it("are valid only with a proof of that key", async () => {
		const tokens = await boundTokens();
		assert.equal(tokens.token_type, "dpop");
		const claims = await client.fetchUserInfo(party, tokens.access_token, ada.id, { DPoP: handleOf(key) });
		assert.equal(claims.sub, ada.id);
		const token = tokens.access_token;
		await assert.rejects(client.fetchUserInfo(party, token, ada.id, { DPoP: handleOf(other) }), {
			status: 401,
		});
		await assert.rejects(client.fetchUserInfo(party, token, ada.id), { status: 401 });
		const bare = await userinfo(token, undefined);
		assert.deepEqual([bare.status, bare.error], [400, "invalid_request"]);
		const asBearer = await userinfo(
			token,
			await proofOf(key, "/oauth/userinfo", { claims: userinfoClaims(token) }),
			{ authorization: `Bearer ${token}` },
		);
		assert.deepEqual([asBearer.status, asBearer.error], [400, "invalid_request"]);
	});

	it("are refreshed with the same key, if the client has no other authentication", async () => {
		const first = await boundTokens();
		const refresh = (token = "", used?: ProofKey) =>
			client.refreshTokenGrant(party, token, undefined, used && { DPoP: handleOf(used) });
		await assert.rejects(refresh(first.refresh_token), { error: "invalid_grant" });
		await assert.rejects(refresh(first.refresh_token, other), { error: "invalid_grant" });
		const second = await refresh(first.refresh_token, key);
		assert.equal(second.token_type, "dpop");
		// Reused immediately, as after a lost response: the same successor, and no bypass of the key.
		assert.equal((await refresh(first.refresh_token, key)).refresh_token, second.refresh_token);
		await assert.rejects(refresh(first.refresh_token, other), { error: "invalid_grant" });
		const third = await refresh(second.refresh_token, key);
		// A thief without the key cannot revoke anything with an old used token.
		installation.advance(60_000);
		await assert.rejects(refresh(first.refresh_token, other), { error: "invalid_grant" });
		assert.equal((await refresh(third.refresh_token, key)).token_type, "dpop");
	});

	it("are described with their key, at a client with a secret", async () => {
		const shop = await connect(service, { firstParty: true });
		const asShop = await relyingParty(service, shop);
		const tokens = await boundTokens(key, asShop);
		const said = await client.tokenIntrospection(asShop, tokens.access_token);
		assert.deepEqual([said.active, said.token_type, said.cnf], [true, "DPoP", { jkt: key.thumbprint }]);
		// RFC 9449, section 5: its refresh tokens are bound by the secret.
		const next = await client.refreshTokenGrant(asShop, tokens.refresh_token ?? "", undefined, {
			DPoP: handleOf(other, asShop),
		});
		const described = await client.tokenIntrospection(asShop, next.access_token);
		assert.deepEqual(described.cnf, { jkt: other.thumbprint });
		const plain = await obtainTokens(asShop, browser, session);
		const unbound = await client.tokenIntrospection(asShop, plain.access_token);
		assert.deepEqual([unbound.token_type, unbound.cnf], ["Bearer", undefined]);
		const proof = await proofOf(key, "/oauth/userinfo", { claims: userinfoClaims(plain.access_token) });
		const refused = await userinfo(plain.access_token, proof);
		assert.deepEqual([refused.status, refused.error], [401, "invalid_token"]);
	});

	it("of services name the key in the JWT", async () => {
		const response = await tokenOfWorker(await proofOf(key, "/oauth/token"));
		assert.deepEqual([response.status, response.token_type], [200, "DPoP"]);
		assert.deepEqual(decodeJwt(response.access_token ?? "").cnf, { jkt: key.thumbprint });
		const asWorker = await relyingParty(service, worker);
		const said = await client.tokenIntrospection(asWorker, response.access_token ?? "");
		assert.deepEqual([said.active, said.token_type, said.cnf], [true, "DPoP", { jkt: key.thumbprint }]);
	});

	it("accept every announced algorithm", async () => {
		const announced = party.serverMetadata().dpop_signing_alg_values_supported ?? [];
		assert.deepEqual(announced, ["ES256", "Ed25519", "EdDSA"]);
		for (const alg of announced) {
			const response = await tokenOfWorker(await proofOf(await makeProofKey(alg), "/oauth/token"));
			assert.equal(response.status, 200, alg);
		}
		for (const alg of ["RS256", "ES384"]) {
			const response = await tokenOfWorker(await proofOf(await makeProofKey(alg), "/oauth/token"));
			assert.deepEqual([response.status, response.error], [400, REUSED], alg);
		}
	});

	it("accept a proof once: 20 concurrent copies, one token", async () => {
		const proof = await proofOf(key, "/oauth/token");
		const responses = await Promise.all(
			Array.from({ length: COPIES }, (_, index) => tokenOfWorker(proof, {}, nodeOf(index))),
		);
		assert.equal(responses.filter(({ status }) => status === 200).length, 1);
		for (const { status, error } of responses)
			if (status !== 200) assert.deepEqual([status, error], [400, REUSED]);
		assert.equal((await tokenOfWorker(proof, {}, nodeOf(1))).error, REUSED);
	});

	it("accept a proof once at the userinfo endpoint, over all nodes", async () => {
		const { access_token: token } = await boundTokens();
		const proof = await proofOf(key, "/oauth/userinfo", { claims: userinfoClaims(token) });
		const responses = await Promise.all(
			Array.from({ length: COPIES }, (_, index) => userinfo(token, proof, {}, nodeOf(index))),
		);
		assert.equal(responses.filter(({ status }) => status === 200).length, 1);
		for (const { status, error, challenge } of responses) {
			if (status === 200) continue;
			assert.deepEqual([status, error], [401, REUSED]);
			assert.match(challenge, /^DPoP .*error="invalid_dpop_proof".*algs="ES256 Ed25519 EdDSA"/);
		}
	});

	it("accept a proof once at refresh, and at a pushed request", async () => {
		const { refresh_token = "" } = await boundTokens();
		const proof = await proofOf(key, "/oauth/token");
		const send = async (path: string, body: Record<string, string>, used: string) => {
			const response = await postForm(service, path, { client_id: app.id, ...body }, { dpop: used });
			return [response.status, response.body.error];
		};
		const refresh = { grant_type: "refresh_token", refresh_token };
		assert.deepEqual(await send("/oauth/token", refresh, proof), [200, undefined]);
		assert.deepEqual(await send("/oauth/token", refresh, proof), [400, REUSED]);
		const fields = Object.fromEntries((await startAuthorization(party)).url.searchParams);
		const pushed = await proofOf(key, "/oauth/par");
		assert.deepEqual(await send("/oauth/par", fields, pushed), [201, undefined]);
		assert.deepEqual(await send("/oauth/par", fields, pushed), [400, REUSED]);
	});

	it("keep used assertions and used proofs apart", async () => {
		const clientKey = await makeClientKey();
		const keyed = await connect(service, {
			type: "service",
			...keySettings(clientKey.publicJwk),
			allowedResources: [API],
		});
		const jti = randomUUID();
		const send = async (assertionJti: string, proofJti: string) => {
			const assertion = await assertionOf(keyed, clientKey, { jti: assertionJti });
			const proof = await proofOf(key, "/oauth/token", { claims: { jti: proofJti } });
			const { status, body } = await sendAssertion(service, assertion, { resource: API }, { dpop: proof });
			return [status, body.error];
		};
		assert.deepEqual(await send(jti, jti), [200, undefined]);
		assert.deepEqual(await send(jti, randomUUID()), [401, "invalid_client"]);
		assert.deepEqual(await send(randomUUID(), jti), [400, REUSED]);
		assert.deepEqual(await send(randomUUID(), randomUUID()), [200, undefined]);
	});

	it("bind a code to the key that the authorization request names", async () => {
		for (const pushes of [false, true]) {
			const begin = async () => {
				const asked = await startAuthorization(party, pushes ? {} : { dpop_jkt: key.thumbprint });
				if (!pushes) return { asked, start: asked.url };
				const start = await client.buildAuthorizationUrlWithPAR(party, asked.url.searchParams, {
					DPoP: handleOf(key),
				});
				return { asked, start };
			};
			for (const used of [undefined, other, key]) {
				const { asked, start } = await begin();
				const returned = await completeAuthorization(browser, start, session);
				const response = exchange(party, returned, asked, { DPoP: used && handleOf(used) });
				if (used === key) assert.equal((await response).token_type, "dpop");
				else await assert.rejects(response, { error: "invalid_grant" });
			}
		}
	});

	it("refuse proofs for another request, from another time, or without a valid signature", async () => {
		const now = Math.floor(Date.now() / 1_000);
		const path = "/oauth/token";
		const spoiled: Record<string, Parameters<typeof proofOf>[2]> = {
			"another method": { claims: { htm: "GET" } },
			"no method": { claims: { htm: undefined } },
			"another endpoint": { claims: { htu: `${ISSUER}/oauth/userinfo` } },
			"another host": { claims: { htu: "https://evil.example/oauth/token" } },
			"another scheme": { claims: { htu: "http://login.example/oauth/token" } },
			"another port": { claims: { htu: "https://login.example:8443/oauth/token" } },
			"a longer path": { claims: { htu: `${ISSUER}/oauth/token/` } },
			"userinfo in the URL": { claims: { htu: "https://a@login.example/oauth/token" } },
			"no address": { claims: { htu: undefined } },
			"a list of URLs": { claims: { htu: [`${ISSUER}${path}`] } },
			"too old": { claims: { iat: now - 310 } },
			"too new": { claims: { iat: now + 320 } },
			"no time": { claims: { iat: undefined } },
			"a time as text": { claims: { iat: String(now) } },
			"over already": { claims: { exp: now - 60 } },
			"no jti": { claims: { jti: undefined } },
			"an empty jti": { claims: { jti: "" } },
			"a jti that is a number": { claims: { jti: 7 } },
			"a nonce that no server gave": { claims: { nonce: "mine" } },
			"another type": { header: { typ: "jwt" } },
			"no type": { header: { typ: undefined } },
			"no key": { header: { jwk: undefined } },
			"another key": { header: { jwk: other.jwk } },
			"a private key": { header: { jwk: await exportJWK(key.privateKey) } },
		};
		for (const [why, changes] of Object.entries(spoiled)) {
			const response = await tokenOfWorker(await proofOf(key, path, changes));
			assert.deepEqual([response.status, response.error], [400, REUSED], why);
		}
		const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
		const claims = encode({ jti: randomUUID(), htm: "POST", htu: `${ISSUER}${path}`, iat: now });
		const unsigned = `${encode({ typ: "dpop+jwt", alg: "none", jwk: key.jwk })}.${claims}.`;
		for (const bad of [unsigned, "x", "a.b.c", "{}", `${await proofOf(key, path)}x`])
			assert.equal((await tokenOfWorker(bad)).error, REUSED, bad);
		const good = await proofOf(key, path, { claims: { htu: `${ISSUER}${path}?a=b#c` } });
		assert.equal((await tokenOfWorker(good)).status, 200, "query and fragment are ignored");
	});

	it("use one URL of the service, regardless of Host and proxy headers", async () => {
		const evil = {
			host: "evil.example",
			"x-forwarded-host": "evil.example",
			"x-forwarded-proto": "http",
			forwarded: "host=evil.example",
		};
		const proof = await proofOf(key, "/oauth/token");
		assert.equal((await tokenOfWorker(proof, evil)).status, 200);
		const htu = "https://evil.example/oauth/token";
		const misled = await proofOf(key, "/oauth/token", { claims: { htu } });
		assert.equal((await tokenOfWorker(misled, evil)).error, REUSED);
	});

	it("refuse two proofs in one request", async () => {
		const proofs = [await proofOf(key, "/oauth/token"), await proofOf(key, "/oauth/token")];
		const fields = { grant_type: "client_credentials", resource: API };
		const headers = { authorization: basicAuth(worker), dpop: proofs };
		const response = await postForm(service, "/oauth/token", fields, headers);
		assert.deepEqual([response.status, response.body.error], [400, REUSED]);
	});

	it("refuse a proof for another access token, or none", async () => {
		const [mine, another] = [await boundTokens(), await boundTokens()];
		for (const claims of [
			{ htm: "GET" },
			{ ...userinfoClaims(another.access_token) },
			{ htm: "GET", ath: mine.access_token },
		]) {
			const proof = await proofOf(key, "/oauth/userinfo", { claims });
			const response = await userinfo(mine.access_token, proof);
			assert.deepEqual([response.status, response.error], [401, REUSED], JSON.stringify(claims));
		}
	});

	it("are available to clients in the browser", async () => {
		const response = await service.call("OPTIONS", "/oauth/token", {
			https: true,
			headers: {
				origin: "https://shop.example",
				"access-control-request-method": "POST",
				"access-control-request-headers": "dpop",
			},
		});
		assert.equal(response.headers["access-control-allow-headers"], "dpop");
	});

	it("leave clients without a proof unchanged", async () => {
		const asked = await startAuthorization(party);
		const tokens = await exchange(party, await completeAuthorization(browser, asked.url, session), asked);
		assert.equal(tokens.token_type, "bearer");
		assert.equal((await client.fetchUserInfo(party, tokens.access_token, ada.id)).sub, ada.id);
	});
});
