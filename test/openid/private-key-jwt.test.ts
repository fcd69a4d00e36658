import assert from "node:assert/strict";
import { createHmac, createPublicKey, randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import type { JWK } from "jose";
import * as client from "openid-client";
import { rows } from "../harness/access/access-requests.ts";
import {
	assertionOf,
	type ClientKey,
	claimsFor,
	keySettings,
	makeClientKey,
	sendAssertion,
} from "../harness/openid/client-assertion.ts";
import {
	type ConnectedClient,
	connect,
	ISSUER,
	obtainTokens,
	openIdService,
	relyingParty,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";

const ORDERS = "https://orders.example/api";
const REFUSED = [401, "invalid_client"];
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("a client with private_key_jwt", () => {
	const service = openIdService();
	let key: ClientKey;
	let worker: ConnectedClient;
	before(async () => {
		await connect(service, { resource: ORDERS });
		key = await makeClientKey();
		worker = await addWorker(key.publicJwk);
	});

	const addWorker = (...keys: JWK[]) =>
		connect(service, {
			type: "service",
			...keySettings(...keys),
			allowedResources: [ORDERS],
		});
	const send = async (assertion: string, parameters = {}, headers = {}) => {
		const { status, body } = await sendAssertion(
			service,
			assertion,
			{ resource: ORDERS, ...parameters },
			headers,
		);
		return [status, body.error];
	};
	const assertRefused = async (changes: Parameters<typeof assertionOf>[2], why: string) =>
		assert.deepEqual(await send(await assertionOf(worker, key, changes)), REFUSED, why);

	it("signs users in, refreshes, introspects, and revokes", async () => {
		const ada = await addPerson(service, "ada");
		const shop = await connect(service, {
			...keySettings(key.publicJwk),
			firstParty: true,
		});
		const auth = client.PrivateKeyJwt({ key: key.privateKey, kid: key.publicJwk.kid ?? "" });
		const party = await relyingParty(service, shop, auth);
		const browser = new TestBrowser(service);
		const tokens = await obtainTokens(party, browser, await browser.signIn(ada.username, ada.password));
		assert.equal(tokens.claims()?.sub, ada.id);
		const next = await client.refreshTokenGrant(party, tokens.refresh_token ?? "");
		assert.equal((await client.tokenIntrospection(party, next.access_token)).active, true);
		await client.tokenRevocation(party, next.refresh_token ?? "");
		assert.equal((await client.tokenIntrospection(party, next.access_token)).active, false);
	});

	it("may use the announced algorithms", async () => {
		const party = await relyingParty(service, worker);
		const announced = party.serverMetadata().token_endpoint_auth_signing_alg_values_supported ?? [];
		assert.deepEqual(announced, ["ES256", "RS256", "PS256", "EdDSA", "Ed25519"]);
		for (const alg of announced) {
			const own = await makeClientKey(alg);
			const { alg: _, ...publicJwk } = own.publicJwk;
			const connected = await addWorker(publicJwk);
			assert.deepEqual(await send(await assertionOf(connected, own)), [200, undefined], alg);
		}
	});

	it("must name the issuer or the token endpoint as audience", async () => {
		const endpoint = `${ISSUER}/oauth/token`;
		for (const aud of [ISSUER, endpoint, [ISSUER], [ISSUER, endpoint]])
			assert.deepEqual(await send(await assertionOf(worker, key, { aud })), [200, undefined], String(aud));
		for (const aud of [
			"https://evil.example",
			`${ISSUER}/`,
			`${ISSUER}/oauth/authorize`,
			`${endpoint}?x`,
			ORDERS,
			worker.id,
			"",
			[],
			[ISSUER, "https://evil.example"],
		])
			await assertRefused({ aud }, JSON.stringify(aud));
		const evil = { host: "evil.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
		const misled = await assertionOf(worker, key, { aud: "https://evil.example/oauth/token" });
		assert.deepEqual(await send(misled, {}, evil), REFUSED);
		assert.deepEqual(await send(await assertionOf(worker, key), {}, evil), [200, undefined]);
	});

	it("can use an assertion once: 20 concurrent requests, one token", async () => {
		const assertion = await assertionOf(worker, key);
		const responses = await Promise.all(Array.from({ length: 20 }, () => send(assertion)));
		assert.equal(responses.filter(([status]) => status === 200).length, 1);
		for (const response of responses.filter(([status]) => status !== 200))
			assert.deepEqual(response, REFUSED);
		assert.deepEqual(await send(assertion), REFUSED);
		const jti = randomUUID();
		assert.deepEqual(await send(await assertionOf(worker, key, { jti })), [200, undefined]);
		await assertRefused({ jti, aud: `${ISSUER}/oauth/token` }, "the same jti in another assertion");
		const second = await addWorker(key.publicJwk);
		assert.deepEqual(await send(await assertionOf(second, key, { jti })), [200, undefined]);
		for (const odd of ["a\0b", "\ud800", "'", "x".repeat(10_000)]) {
			const assertion = await assertionOf(worker, key, { jti: odd });
			assert.deepEqual(await send(assertion), [200, undefined], JSON.stringify(odd.slice(0, 9)));
			assert.deepEqual(await send(assertion), REFUSED);
		}
	});

	it("leaves a digest of a used assertion, which is purged after the assertion expires", async () => {
		const jti = randomUUID();
		const exp = Math.floor(Date.now() / 1_000) + 1_000;
		await send(await assertionOf(worker, key, { jti, exp }));
		const stored = await rows<{ expires_at: number }>(
			service,
			"SELECT * FROM oauth_records WHERE kind = 'ReplayDetection'",
		);
		assert.equal(JSON.stringify(stored).includes(jti), false);
		assert.ok(stored.some((row) => Number(row.expires_at) >= exp * 1_000));
	});

	it("is refused if the assertion is unsigned, signed by others, or with the public key as a shared secret", async () => {
		const claims = claimsFor(worker.id);
		for (const alg of ["none", "None", "NONE"])
			assert.notEqual((await send(`${base64url({ alg })}.${base64url(claims)}.`))[0], 200, alg);
		const rsa = await makeClientKey("RS256");
		const withRsa = await addWorker(rsa.publicJwk);
		for (const [connected, { publicJwk }] of [
			[worker, key],
			[withRsa, rsa],
		] as const) {
			const publicKey = createPublicKey({ key: publicJwk as Record<string, string>, format: "jwk" });
			for (const secret of [
				publicKey.export({ type: "spki", format: "pem" }),
				publicKey.export({ type: "spki", format: "der" }),
				JSON.stringify(publicJwk),
				publicJwk.x ?? publicJwk.n ?? "",
				"compared by digest",
			]) {
				const header = base64url({ alg: "HS256", kid: publicJwk.kid });
				const signed = `${header}.${base64url(claimsFor(connected.id))}`;
				const mac = createHmac("sha256", secret).update(signed).digest("base64url");
				assert.deepEqual(await send(`${signed}.${mac}`), REFUSED);
			}
		}
		const stranger = await makeClientKey();
		assert.deepEqual(await send(await assertionOf(worker, stranger)), REFUSED, "another key, the same kid");
		const header = { alg: "ES256", jwk: stranger.publicJwk, jku: "https://evil.example/keys" };
		const { SignJWT } = await import("jose");
		const own = await new SignJWT(claims).setProtectedHeader(header).sign(stranger.privateKey);
		assert.deepEqual(await send(own), REFUSED, "a key in the header");
	});

	it("is refused with another issuer, or with missing, past, far, or fractional times", async () => {
		const now = Math.floor(Date.now() / 1_000);
		const other = await addWorker((await makeClientKey()).publicJwk);
		await assertRefused({ iss: other.id }, "iss of another client");
		await assertRefused({ iss: ISSUER }, "iss of the service");
		assert.deepEqual(await send(await assertionOf(other, key)), REFUSED, "as another client");
		const spoiled: Record<string, unknown>[] = [
			{ exp: undefined },
			{ exp: now - 60 },
			{ exp: now + 3_600 + 60 },
			{ exp: now + 30.5 },
			{ exp: String(now + 60) },
			{ exp: 1e300 },
			{ nbf: now + 600 },
			{ iat: now + 360 },
			{ iat: now - 3_660 },
			{ iat: String(now) },
			{ iat: 1e300 },
			{ jti: undefined },
			{ jti: "" },
			{ jti: 7 },
			{ jti: ["a"] },
			{ iss: undefined },
			{ iss: [worker.id] },
		];
		for (const changes of spoiled) await assertRefused(changes, JSON.stringify(changes));
		const taken: Record<string, unknown>[] = [
			{ exp: now + 3_600 },
			{ exp: now + 3_600, iat: undefined },
			{ iat: undefined },
			{ iat: now + 200 },
			{ iat: now - 3_500 },
			{ iat: now - 0.5 },
		];
		for (const changes of taken)
			assert.deepEqual(
				await send(await assertionOf(worker, key, changes)),
				[200, undefined],
				JSON.stringify(changes),
			);
	});

	it("is refused with another authentication method, and with two at once", async () => {
		const withSecret = await connect(service, { type: "service", allowedResources: [ORDERS] });
		assert.deepEqual(await send(await assertionOf(withSecret, key)), REFUSED);
		const byName = await relyingParty(service, worker, client.None());
		await assert.rejects(client.clientCredentialsGrant(byName, { resource: ORDERS }), { status: 401 });
		const bySecret = await relyingParty(service, { ...worker, secret: "compared by digest" });
		await assert.rejects(client.clientCredentialsGrant(bySecret, { resource: ORDERS }), { status: 401 });
		for (const parameters of [
			{ client_secret: withSecret.secret },
			{ client_id: withSecret.id },
			{ client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer" },
		]) {
			const [status, error] = await send(await assertionOf(worker, key), parameters);
			assert.deepEqual([status, error], [400, "invalid_request"], JSON.stringify(parameters));
		}
		for (const garbage of ["x", "a.b.c", "...", "{}", `${"a".repeat(5_000)}.b.c`])
			assert.notEqual((await send(garbage))[0], 200);
	});
});
