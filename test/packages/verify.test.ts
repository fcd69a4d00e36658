// `@latchkey/client/verify` with tokens of a running service, and with forged ones.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { createVerifier, requireToken, TokenError } from "../../packages/client/src/verify.ts";
import { makeProofKey, proofOf, userinfoClaims } from "../harness/openid/dpop-proof.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";

const RESOURCE = "https://orders.example/api";
const TENANT = "11111111-1111-4111-8111-111111111111";
const URL_OF_CALL = `${RESOURCE}/orders/1?page=2`;

describe("createVerifier", () => {
	const issuerServer = createServer((_, response) => {
		response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(keys));
	});
	let status = 200;
	let keys: object = {};
	let issuer: string;
	let signingKey: Awaited<ReturnType<typeof generateKeyPair>>;
	before(async () => {
		signingKey = await generateKeyPair("ES256");
		keys = { keys: [{ ...(await exportJWK(signingKey.publicKey)), kid: "k1", alg: "ES256", use: "sig" }] };
		await new Promise<void>((listening) => issuerServer.listen(0, "127.0.0.1", listening));
		const address = issuerServer.address();
		assert.ok(address !== null && typeof address === "object");
		issuer = `http://127.0.0.1:${address.port}`;
	});
	after(() => issuerServer.close());

	function token(
		claims: Record<string, unknown> = {},
		header: object = {},
		key = signingKey.privateKey,
	): Promise<string> {
		const seconds = Math.floor(Date.now() / 1000);
		const good = {
			iss: issuer,
			sub: "u1",
			client_id: "c1",
			aud: RESOURCE,
			tenant_id: TENANT,
			exp: seconds + 900,
		};
		return new SignJWT(JSON.parse(JSON.stringify({ ...good, iat: seconds, jti: "j", ...claims })))
			.setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "k1", ...header })
			.sign(key);
	}
	const verifier = (options = {}) =>
		createVerifier({ issuer, resource: RESOURCE, tenantId: TENANT, ...options });
	const isRefused = (verified: Promise<unknown>, message: RegExp) =>
		assert.rejects(verified, (error) => {
			assert.ok(error instanceof TokenError, String(error));
			assert.equal(error.code, "token.invalid");
			assert.match(error.message, message);
			return true;
		});

	test("returns the claims of a valid token", async () => {
		const claims = await verifier()(await token({ permissions: ["orders:*"] }));
		assert.deepEqual([claims.sub, claims.client_id, claims.permissions], ["u1", "c1", ["orders:*"]]);
	});

	test("refuses tokens of another kind, audience, issuer, tenant, time, or key", async () => {
		const stranger = await generateKeyPair("ES256");
		for (const [claims, header, message] of [
			[{}, { typ: "JWT" }, /"typ"/],
			[{}, { typ: undefined }, /"typ"/],
			[{ aud: "https://other.example" }, {}, /"aud"/],
			[{ aud: undefined }, {}, /"aud"/],
			[{ iss: "https://other.example" }, {}, /"iss"/],
			[{ tenant_id: "22222222-2222-4222-8222-222222222222" }, {}, /another tenant/],
			[{ tenant_id: undefined }, {}, /"tenant_id"/],
			[{ client_id: undefined }, {}, /"client_id"/],
			[{ exp: 1_000_000_000 }, {}, /"exp"/],
			[{ exp: undefined }, {}, /"exp"/],
			[{}, { kid: "other" }, /no applicable key/],
		] as const)
			await isRefused(verifier()(await token(claims, header)), message);
		await isRefused(verifier()(await token({}, {}, stranger.privateKey)), /signature/);
		for (const text of ["", "a.b.c", "lk_key"]) await isRefused(verifier()(text), /./);
	});

	test("accepts only ES256, not the algorithm that the token names", async () => {
		const [, payload] = (await token()).split(".");
		const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
		await isRefused(verifier()(`${header}.${payload}.`), /./);
		const symmetric = new SignJWT({}).setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: "k1" });
		await isRefused(verifier()(await symmetric.sign(new Uint8Array(32))), /"alg"/);
	});

	test("throws another error if the keys cannot be read, so that the API responds with 503", async () => {
		status = 503;
		await assert.rejects(verifier()(await token()), (error) => !(error instanceof TokenError));
		status = 200;
	});

	test("names the option that is missing", () => {
		for (const name of ["issuer", "resource", "tenantId"])
			assert.throws(() => verifier({ [name]: "" }), { message: `${name} is missing` });
	});

	describe("requireToken", () => {
		const reported: unknown[] = [];
		const ask = async (authorization: string | undefined, dpop?: string, options = {}) => {
			const gate = requireToken({
				issuer,
				resource: RESOURCE,
				tenantId: TENANT,
				report: (reason) => reported.push(reason),
				...options,
			});
			const headers: Record<string, string | undefined> = { authorization, dpop };
			return await gate({
				method: "GET",
				target: "/api/orders/1?page=2",
				scheme: "https",
				ip: "203.0.113.7",
				header: (name) => headers[name],
				body: new Uint8Array(),
			});
		};
		const caller = {
			kind: "person",
			id: "u1",
			name: "",
			through: "c1",
			chain: [],
			permissions: ["orders:read"],
			isTest: false,
		};

		test("limits a person to the scopes of the token, and a program only if it has some", async () => {
			const permissions = ["orders:*"];
			for (const [claims, expected] of [
				[{ permissions, scope: "openid orders:read users:read" }, caller],
				[{ permissions }, { ...caller, permissions: [] }],
				// The service issues only scopes that the user holds; the claim `permissions` requires the scope `roles`.
				[{ scope: "orders:read" }, caller],
				[{ scope: "orders:write" }, { ...caller, permissions: ["orders:write"] }],
				[{}, { ...caller, permissions: [] }],
				[
					{ scope: "orders:read", act: { sub: "c1" } },
					{ ...caller, chain: ["c1"] },
				],
				[
					{ permissions, sub: "c1" },
					{ ...caller, kind: "program", id: "c1", through: null, permissions },
				],
				[
					{ permissions, sub: "c1", scope: "orders:read" },
					{ ...caller, kind: "program", id: "c1", through: null },
				],
			] as const)
				assert.deepEqual(await ask(`Bearer ${await token(claims)}`), { caller: expected });
		});

		test("refuses a request without a valid token with 401, and with 503 while the keys are unavailable", async () => {
			const outcome = (decision: Awaited<ReturnType<typeof ask>>) => {
				assert.ok(!("caller" in decision));
				const { status, headers } = decision;
				return [status, headers["latchkey-refusal"], headers["www-authenticate"]];
			};
			const missing = [401, "token.missing", "Bearer"];
			for (const none of [undefined, "", "Basic YTpi", "Bearer", "Bearer a, Bearer b"])
				assert.deepEqual(outcome(await ask(none)), missing, String(none));
			const invalid = [401, "token.invalid", 'Bearer error="invalid_token"'];
			assert.deepEqual(outcome(await ask("Bearer a.b.c")), invalid);
			assert.equal(reported.length, 0);
			status = 503;
			assert.deepEqual(outcome(await ask(`Bearer ${await token()}`)), [
				503,
				"service.unavailable",
				undefined,
			]);
			status = 200;
			assert.equal(reported.length, 1);
		});

		test("accepts a bound token only with its proof, for the URL of the resource and the target", async () => {
			const key = await makeProofKey();
			const bound = await token({ cnf: { jkt: key.thumbprint } });
			const proof = await proofOf(key, "", {
				claims: { htm: "GET", htu: `${RESOURCE}/orders/1`, ath: userinfoClaims(bound).ath },
			});
			const options = { dpop: { claim: () => true } };
			assert.ok("caller" in (await ask(`DPoP ${bound}`, proof, options)));
			for (const [authorization, sent] of [
				[`Bearer ${bound}`, proof],
				[`DPoP ${bound}`, undefined],
				[`DPoP ${await token()}`, proof],
			] as const)
				assert.ok(!("caller" in (await ask(authorization, sent, options))));
		});
	});

	describe("with DPoP", () => {
		let bound: string;
		const key = fixture(() => makeProofKey());
		setup(async () => {
			bound = await token({ cnf: { jkt: key.thumbprint } });
		});
		const seen = new Set<string>();
		const dpop = { claim: (id: string) => !seen.has(id) && !!seen.add(id) };
		const claims = (accessToken = bound) => ({
			htm: "GET",
			htu: `${RESOURCE}/orders/1`,
			ath: userinfoClaims(accessToken).ath,
		});
		const request = async (proof: string | Promise<string>) => ({
			dpop: await proof,
			method: "GET",
			url: URL_OF_CALL,
		});

		test("accepts a bound token with its proof, once", async () => {
			const proof = await request(proofOf(key, "", { claims: claims() }));
			assert.equal((await verifier({ dpop })(bound, proof)).sub, "u1");
			await isRefused(verifier({ dpop })(bound, proof), /used already/);
		});

		test("refuses a bound token without a proof, or where proofs are not accepted", async () => {
			await isRefused(verifier({ dpop })(bound), /requires a DPoP proof/);
			const proof = await request(proofOf(key, "", { claims: claims() }));
			await isRefused(verifier()(bound, proof), /requires a DPoP proof/);
		});

		test("refuses a token that is bound in another way, or not bound although a proof was sent", async () => {
			const proof = await request(proofOf(key, "", { claims: claims() }));
			const other = await token({ cnf: { "x5t#S256": "a" } });
			await isRefused(verifier({ dpop })(other), /not bound to a key/);
			await isRefused(verifier({ dpop })(await token(), proof), /not bound to a key/);
		});

		test("refuses proofs of another method, URL, token, key, type, or time", async () => {
			const seconds = Math.floor(Date.now() / 1000);
			for (const changed of [
				{ htm: "POST" },
				{ htu: `${RESOURCE}/orders/2` },
				{ htu: "https://other.example/api/orders/1" },
				{ htu: 7 },
				{ ath: "AAAA" },
				{ ath: undefined },
				{ jti: undefined },
				{ jti: 7 },
				{ iat: undefined },
				{ iat: seconds - 700 },
				{ iat: seconds + 400 },
			])
				await isRefused(
					verifier({ dpop })(bound, await request(proofOf(key, "", { claims: { ...claims(), ...changed } }))),
					/./,
				);
			const typed = proofOf(key, "", { claims: claims(), header: { typ: "jwt" } });
			await isRefused(verifier({ dpop })(bound, await request(typed)), /"typ"/);
			const stolen = proofOf(await makeProofKey(), "", { claims: claims() });
			await isRefused(verifier({ dpop })(bound, await request(stolen)), /another request, token, or key/);
			await isRefused(verifier({ dpop })(bound, await request("not a proof")), /./);
			const ec = { kty: "EC", crv: "P-256" };
			for (const jwk of [
				{ ...ec, x: "AAAA", y: "AAAA" },
				ec,
				{ ...ec, x: key.jwk.y ?? "", y: key.jwk.y ?? "" },
				{ kty: "OKP", crv: "X", x: "AA" },
			]) {
				const broken = proofOf(key, "", { claims: claims(), header: { jwk } });
				await isRefused(verifier({ dpop })(bound, await request(broken)), /./);
			}
		});
	});
});
