// A misbehaving provider: every kind of invalid response is refused for the right reason and within the limits.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import { after, before, beforeEach, describe, it } from "node:test";
import { SignJWT, UnsecuredJWT } from "jose";
import type { ProviderConnection, ProviderFailureReason } from "../../src/domain/provider-gateway.ts";
import { trustedAuthority } from "../harness/certificates/authority.ts";
import {
	BAD_CLIENT,
	type BadProvider,
	documentOf,
	type Json,
	type Misbehavior,
	makeKey,
	PERSON,
	type SigningKey,
	sendJson,
	startBadProvider,
} from "../harness/providers/bad-provider.ts";
import { fails, loopbackGateway, newAttempt, signIn } from "./attempt.ts";

const nulls = (names: readonly string[]): Json => Object.fromEntries(names.map((name) => [name, null]));

describe("a provider that misbehaves", () => {
	let provider: BadProvider;
	/** Another server, which must never receive a request. */
	let elsewhere: BadProvider;
	let connection: ProviderConnection;
	let gateway = loopbackGateway();
	before(async () => {
		[provider, elsewhere] = await Promise.all([startBadProvider(), startBadProvider()]);
		connection = connectionTo(provider.issuer);
	});
	beforeEach(() => {
		// A changed discovery document of one test must not affect the next.
		gateway = loopbackGateway();
		provider.misbehave();
		elsewhere.misbehave();
	});
	after(() => Promise.all([provider.close(), elsewhere.close()]));

	const connectionTo = (issuer: string): ProviderConnection => ({
		kind: "oidc",
		clientId: BAD_CLIENT.client_id,
		clientSecretPlain: BAD_CLIENT.client_secret,
		issuer,
	});
	const run = () => signIn(gateway, connection, provider.visit);
	const refused = async (
		how: Misbehavior,
		message: RegExp,
		reason: ProviderFailureReason = "invalid_answer",
	) => {
		provider.misbehave(how);
		// A new gateway has no cached document.
		gateway = loopbackGateway();
		await fails(run(), reason, message);
	};
	const nowSeconds = () => Math.floor(Date.now() / 1_000);

	it("is accepted when it does not", async () => {
		assert.equal((await run()).subject, "ann");
		const token = provider.received.find(({ path }) => path === "/token");
		assert.equal(token?.headers["user-agent"], "latchkey");
		const basic = (token?.headers.authorization ?? "").replace("Basic ", "");
		const [name, secret] = Buffer.from(basic, "base64").toString().split(":");
		assert.equal(name, BAD_CLIENT.client_id);
		assert.equal(decodeURIComponent((secret ?? "").replaceAll("+", " ")), BAD_CLIENT.client_secret);
	});

	describe("in its ID token", () => {
		it("a missing or wrong nonce", async () => {
			await refused({ claims: { nonce: undefined } }, /nonce/);
			await refused({ claims: { nonce: "another" } }, /nonce/);
			await refused({ claims: { nonce: "" } }, /nonce/);
		});

		it("a missing or wrong issuer", async () => {
			await refused({ claims: { iss: "https://evil.example" } }, /iss/);
			await refused({ claims: { iss: undefined } }, /iss/);
			await refused({ claims: { iss: `${provider.issuer}/` } }, /iss/);
		});

		it("a wrong audience, or several without a matching azp", async () => {
			await refused({ claims: { aud: "another" } }, /aud/);
			await refused({ claims: { aud: [] } }, /aud/);
			await refused({ claims: { aud: ["latchkey", "another"] } }, /aud/);
			await refused({ claims: { aud: ["latchkey", "another"], azp: "another" } }, /azp/);
			await refused({ claims: { azp: "another" } }, /azp/);
		});

		it("an expired, future, or old time", async () => {
			await refused({ claims: { exp: nowSeconds() - 60 } }, /exp|timestamp/);
			await refused({ claims: { exp: undefined } }, /exp/);
			await refused({ claims: { iat: nowSeconds() + 600 } }, /iat/);
			await refused({ claims: { iat: nowSeconds() - 3_600 } }, /iat/);
			await refused({ claims: { iat: "now" } }, /iat/);
			await refused({ claims: { nbf: nowSeconds() + 600 } }, /nbf|timestamp/);
		});

		it("an empty or missing subject", async () => {
			for (const sub of ["", " ", undefined, 7, null, "x".repeat(256)])
				await refused({ claims: { sub }, userinfo: (response) => sendJson(response, { sub }) }, /sub/);
		});

		it("not signed", async () => {
			const sign: Misbehavior["sign"] = async (claims) => new UnsecuredJWT(claims).encode();
			await refused({ sign }, /alg/);
			await refused({ sign, document: { id_token_signing_alg_values_supported: ["none"] } }, /unsupported/);
		});

		it("a signature by the client's secret, or by the public key used as a secret", async () => {
			const document = { id_token_signing_alg_values_supported: ["RS256", "HS256"] };
			const secrets = [
				BAD_CLIENT.client_secret,
				provider.key.publicPem,
				JSON.stringify(provider.key.publicJwk),
			];
			for (const secret of secrets) {
				const sign: Misbehavior["sign"] = (claims) =>
					new SignJWT(claims)
						.setProtectedHeader({ alg: "HS256", kid: "good" })
						.sign(Buffer.from(secret.padEnd(32)));
				await refused({ sign }, /alg/);
				await refused({ sign, document }, /unsupported/);
			}
		});

		it("a signature by another key, embedded or not", async () => {
			const other = await makeKey();
			for (const more of [{}, { jwk: other.publicJwk }, { jku: `${elsewhere.issuer}/jwks` }]) {
				const sign: Misbehavior["sign"] = (claims) =>
					new SignJWT(claims)
						.setProtectedHeader({ alg: "RS256", kid: "good", ...more })
						.sign(other.privateKey);
				await refused({ sign }, /signature/);
			}
			assert.deepEqual(elsewhere.received, []);
		});

		it("a signature by an unpublished key, without reading the keys each time", async () => {
			await refused({ kid: "unknown" }, /key/);
			for (let turn = 0; turn < 5; turn++) await fails(run(), "invalid_answer", /key/);
			assert.equal(provider.received.filter(({ path }) => path === "/jwks").length, 1);
			assert.equal(provider.received.filter(({ path }) => path.startsWith("/.well-known/")).length, 1);
		});

		it("the hash of another access token", () => refused({ claims: { at_hash: "AAAA" } }, /at_hash/));

		it("a missing or malformed token", async () => {
			await refused({ tokens: { id_token: undefined } }, /id_token/);
			for (const id_token of ["", "a.b", "a.b.c", "e30.e30.e30", 5])
				await refused({ tokens: { id_token } }, /JWT|id_token|alg|Header/i);
		});
	});

	describe("in its claims about the user", () => {
		it("of another user", async () => {
			await refused({ person: { sub: "bob" } }, /sub|attribute/);
			await refused({ person: { sub: "" } }, /sub/);
			await refused({ person: { sub: undefined } }, /sub/);
		});

		it("a refusal of its own token", () =>
			refused(
				{
					userinfo: (response) =>
						void response.writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' }).end(),
				},
				/refuses its own access token/,
			));

		it("a verified address only if it is explicitly verified", async () => {
			for (const email_verified of [false, undefined, null, 1, "yes", "TRUE", {}]) {
				provider.misbehave({ person: { email_verified } });
				const profile = await run();
				assert.deepEqual([profile.email, profile.isEmailVerified], ["ann@example.com", false]);
			}
		});

		it("an address and its verification come from the same source", async () => {
			provider.misbehave({ claims: { email: "victim@example.com" }, person: { email_verified: true } });
			assert.deepEqual([(await run()).email, (await run()).isEmailVerified], ["victim@example.com", false]);
			provider.misbehave({ claims: { email_verified: true }, person: { email_verified: undefined } });
			assert.equal((await run()).isEmailVerified, false);
		});

		it("combines what both sources state about the same address", async () => {
			const ann = "ann@example.com";
			const table: readonly (readonly [Json, Json, string | null, boolean])[] = [
				[{ email: ann }, { email: ann, email_verified: true }, ann, true],
				[{ email: ann }, { email: ` ${ann.toUpperCase()} `, email_verified: "true" }, ann, true],
				[{ email: ann, email_verified: null }, { email_verified: true }, ann, true],
				[{ email: null, email_verified: null }, { email: ann, email_verified: true }, ann, true],
				[{ email: ann, email_verified: true }, { email: ann, email_verified: undefined }, ann, true],
				[
					{ email: ann, email_verified: true },
					{ email: "bob@example.com", email_verified: false },
					ann,
					true,
				],
				[{ email: ann, email_verified: true }, { email_verified: false }, ann, false],
				[{ email: ann, email_verified: true }, { email: null, email_verified: false }, ann, false],
				[{ email: ann, email_verified: false }, { email_verified: true }, ann, false],
				[{ email: ann, email_verified: "no" }, { email_verified: true }, ann, false],
				[{ email: ann }, { email: null, email_verified: true }, ann, false],
				[{ email: ann }, { email: "bob@example.com", email_verified: true }, ann, false],
				[{ email_verified: false }, { email: ann, email_verified: true }, ann, false],
				[{ email_verified: true }, { email: null, email_verified: undefined }, null, false],
			];
			for (const [claims, person, email, isVerified] of table) {
				provider.misbehave({ claims, person });
				const profile = await run();
				const actual = [profile.email, profile.isEmailVerified];
				assert.deepEqual(actual, [email, isVerified], JSON.stringify([claims, person]));
			}
		});

		it("omits values that are not strings or HTTPS URLs", async () => {
			provider.misbehave({
				person: { name: { a: 1 }, preferred_username: "a\0b", picture: "javascript:alert(1)", email: ["x"] },
			});
			const { displayName, username, avatarUrl, email, isEmailVerified } = await run();
			assert.deepEqual([displayName, username, avatarUrl, email], [null, null, null, null]);
			assert.equal(isEmailVerified, false);
		});
	});

	describe("in what is optional", () => {
		/** The ID token has all that a sign-in needs. */
		const claims = { email: "ann@example.com", email_verified: true, name: "Ann of the ID token" };
		const respond =
			(
				status: number,
				headers: Readonly<Record<string, string>>,
				body = "",
			): NonNullable<Misbehavior["userinfo"]> =>
			(response) =>
				void response.writeHead(status, headers).end(body);
		const json = { "content-type": "application/json" };
		const jwt = { "content-type": "application/jwt" };
		const signedBy = async ({ privateKey }: SigningKey, more: Json = {}) =>
			respond(
				200,
				jwt,
				await new SignJWT({ sub: "ann", iss: provider.issuer, aud: BAD_CLIENT.client_id, ...PERSON, ...more })
					.setProtectedHeader({ alg: "RS256", kid: "good" })
					.sign(privateKey),
			);
		const announced = { document: { userinfo_signing_alg_values_supported: ["RS256"] }, claims };

		const unusable: Readonly<Record<string, readonly [Misbehavior, RegExp]>> = {
			"is refused with 403": [{ userinfo: respond(403, {}) }, /unexpected HTTP response status code: 403/],
			"is refused with a challenge": [
				{ userinfo: respond(401, { "www-authenticate": 'Bearer error="invalid_token"' }) },
				/refuses its own access token/,
			],
			"is not found": [{ userinfo: respond(404, json, '{"error":"none"}') }, /status code: 404/],
			"fails with 500": [{ userinfo: respond(500, {}) }, /returned status 500/],
			"is a redirect": [{ userinfo: respond(302, { location: "https://127.0.0.1/" }) }, /redirect/],
			"is a page": [{ userinfo: respond(200, { "content-type": "text/html" }, "<html>") }, /other than JSON/],
			"is not JSON": [{ userinfo: respond(200, json, "<html>") }, /JSON/],
			"is an array": [{ userinfo: respond(200, json, "[]") }, /object/],
			"is nested too deeply": [{ userinfo: respond(200, json, "[".repeat(100_000)) }, /JSON/],
			"is nested and complete": [
				{ userinfo: respond(200, json, `${"[".repeat(100_000)}${"]".repeat(100_000)}`) },
				/nested too deeply/,
			],
			"is empty": [{ userinfo: respond(204, {}) }, /other than JSON/],
			"has no subject": [{ person: { sub: undefined } }, /sub/],
			"has an empty subject": [{ person: { sub: "" } }, /sub/],
			"is too large": [{ person: { filler: "x".repeat(300_000) } }, /more than 262144 bytes/],
			"closes the connection": [{ userinfo: (response) => void response.destroy() }, /reset|failed/],
			"is at a plain URL": [{ document: { userinfo_endpoint: "http://127.0.0.1/x" } }, /no https URL/],
			"is at no URL": [{ document: { userinfo_endpoint: 7 } }, /no https URL/],
			"is at an address that is not public": [
				{ document: { userinfo_endpoint: "https://10.0.0.1/x" } },
				/not on the public/,
			],
		};
		for (const [what, [how, message]] of Object.entries(unusable))
			it(`signs in without userinfo that ${what}, if the ID token has an address`, async () => {
				provider.misbehave({ claims, ...how });
				const { omission, ...profile } = await run();
				assert.match(omission ?? "", message);
				assert.deepEqual(
					[profile.subject, profile.email, profile.isEmailVerified, profile.displayName],
					["ann", "ann@example.com", true, "Ann of the ID token"],
				);
				gateway = loopbackGateway();
				provider.misbehave({ claims: { email: null, email_verified: true }, ...how });
				await assert.rejects(run(), { name: "ProviderFailure", message });
			});

		it("signs in without userinfo that never arrives", async () => {
			gateway = loopbackGateway({ timeoutMs: 1_000 });
			provider.misbehave({ claims, userinfo: () => undefined });
			assert.match((await run()).omission ?? "", /no response within 1 s/);
		});

		it("omits nothing if userinfo is correct or absent", async () => {
			provider.misbehave({ claims });
			assert.equal((await run()).omission, undefined);
			gateway = loopbackGateway();
			provider.misbehave({ claims, document: { userinfo_endpoint: null } });
			const { omission, displayName } = await run();
			assert.deepEqual([omission, displayName], [undefined, "Ann of the ID token"]);
			assert.ok(provider.received.every(({ path }) => path !== "/userinfo"));
		});

		it("refuses userinfo of another user, although the ID token has an address", async () => {
			for (const sub of ["bob", "Ann", "ann "]) await refused({ claims, person: { sub } }, /sub|attribute/);
		});

		it("accepts userinfo with a valid signature only, although the ID token has an address", async () => {
			provider.misbehave({ ...announced, userinfo: await signedBy(provider.key) });
			const { omission, displayName, avatarUrl } = await run();
			assert.deepEqual(
				[omission, displayName, avatarUrl],
				[undefined, "Ann of the ID token", PERSON.picture],
			);
			await refused({ ...announced, userinfo: await signedBy(await makeKey()) }, /signature/);
			await refused(
				{ ...announced, userinfo: await signedBy(provider.key, { sub: "bob" }) },
				/sub|attribute/,
			);
			await refused({ ...announced, userinfo: await signedBy(provider.key, { aud: "another" }) }, /aud/);
			const unsigned = new UnsecuredJWT({ sub: "ann", ...PERSON }).encode();
			await refused({ ...announced, userinfo: respond(200, jwt, unsigned) }, /alg/);
			for (const text of ["", "a.b.c", "a.b.c.d.e", "{}", JSON.stringify({ sub: "ann", ...PERSON })])
				await refused({ ...announced, userinfo: respond(200, jwt, text) }, /JW[TE]|parse/i);
		});

		it("treats members that are null as absent, in every response", async () => {
			provider.misbehave({
				document: nulls([
					"end_session_endpoint",
					"registration_endpoint",
					"token_endpoint_auth_methods_supported",
					"userinfo_signing_alg_values_supported",
				]),
				claims: { ...claims, azp: null, at_hash: null, acr: null, picture: null },
				tokens: nulls(["refresh_token", "scope", "expires_in", "error"]),
				person: { ...nulls(["email", "email_verified", "name", "picture"]), address: { country: null } },
				jwks: (response) =>
					sendJson(response, {
						keys: [{ ...provider.key.publicJwk, ...nulls(["alg", "use", "key_ops", "x5c"]) }],
						more: null,
					}),
			});
			const { omission, email, isEmailVerified } = await run();
			assert.deepEqual([omission, email, isEmailVerified], [undefined, "ann@example.com", true]);
		});

		it("still requires what is not optional, and is null", async () => {
			await refused({ tokens: { access_token: null } }, /access_token/);
			await refused({ tokens: { id_token: null } }, /id_token/);
			await refused({ claims: { nonce: null } }, /nonce/);
			await refused({ document: { token_endpoint: null } }, /no https URL/, "misconfigured");
			await refused({ document: { issuer: null } }, /issuer/);
		});

		it("reads the last of repeated members, in every response", async () => {
			const twice = (members: Json, first: Json) => {
				const text = JSON.stringify(members);
				return `{${JSON.stringify(first).slice(1, -1)},${text.slice(1)}`;
			};
			const document = documentOf(provider.issuer);
			const first = { issuer: "https://evil.example", token_endpoint: "http://evil.example" };
			const person = { sub: "ann", email: "ann@example.com", email_verified: true };
			provider.misbehave({
				discovery: (response) => void response.writeHead(200, json).end(twice(document, first)),
				userinfo: (response) =>
					void response.writeHead(200, json).end(twice(person, { sub: "bob", email_verified: false })),
			});
			assert.equal((await run()).isEmailVerified, true);
			await refused(
				{ claims, userinfo: respond(200, json, twice({ ...person, sub: "bob" }, { sub: "ann" })) },
				/sub|attribute/,
			);
			gateway = loopbackGateway();
			const denied = twice({ ...person, email_verified: false }, { email_verified: true });
			provider.misbehave({ claims, userinfo: respond(200, json, denied) });
			assert.equal((await run()).isEmailVerified, false);
		});

		it("skips members of a key set that are no usable keys, and keys that repeat", async () => {
			const { publicJwk } = provider.key;
			const { n, e, ...withoutModulus } = publicJwk;
			const keys = [
				null,
				"text",
				7,
				[publicJwk],
				{},
				{ kty: "quantum", kid: "good" },
				{ ...withoutModulus, n, e, use: "enc" },
				{ ...withoutModulus, kid: "other" },
				publicJwk,
				{ ...publicJwk, x5t: "AAAA", note: "the same key" },
			];
			provider.misbehave({ jwks: (response) => sendJson(response, { keys, more: [1] }) });
			assert.equal((await run()).subject, "ann");
			const another = { ...(await makeKey()).publicJwk, kid: "good" };
			const ambiguous = { keys: [publicJwk, another] };
			await refused({ jwks: (response) => sendJson(response, ambiguous) }, /multiple applicable keys/);
			await refused({ jwks: (response) => sendJson(response, { keys: "none" }) }, /keys/);
		});
	});

	describe("by its URLs", () => {
		const redirect: Misbehavior["token"] = (response) =>
			void response.writeHead(307, { location: `${elsewhere.issuer}/token` }).end();

		it("to another server, at each of its endpoints", async () => {
			for (const where of ["discovery", "token", "jwks", "userinfo"] as const)
				await refused({ [where]: redirect }, /redirect/);
			assert.deepEqual(elsewhere.received, []);
		});

		it("to an address that is not public, for any endpoint", async () => {
			for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"])
				for (const host of ["10.0.0.1", "169.254.169.254", "[::1]", "192.168.1.1", "0.0.0.0"])
					await refused(
						{ document: { [name]: `https://${host}:${provider.port}/x` } },
						/not on the public/,
						"misconfigured",
					);
		});

		it("to a plain or unreadable URL", async () => {
			for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"]) {
				const plain = `http://127.0.0.1:${provider.port}/x`;
				for (const url of [plain, "nothing", "", 7])
					await refused({ document: { [name]: url } }, /no https URL/, "misconfigured");
			}
		});

		it("to no endpoint at all", async () => {
			for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"])
				await refused({ document: { [name]: undefined } }, /no https URL/, "misconfigured");
		});

		it("to a document of another issuer", () =>
			refused({ document: { issuer: "https://evil.example" } }, /another issuer/, "misconfigured"));

		it("from loopback itself, unless the operator allows it", async () => {
			gateway = loopbackGateway({ isAllowed: () => false });
			await fails(run(), "misconfigured", /not on the public/);
			assert.deepEqual(provider.received, []);
		});

		it("by a name that resolves to a forbidden address among others, or changes its address", async () => {
			const responses = [["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]];
			gateway = loopbackGateway({ resolve: async () => responses.shift() ?? ["10.0.0.1"] });
			connection = connectionTo(provider.issuer.replace("127.0.0.1", "localhost"));
			await fails(run(), "misconfigured", /another issuer/);
			await fails(run(), "misconfigured", /not on the public/);
			await fails(run(), "misconfigured", /not on the public/);
			connection = connectionTo(provider.issuer);
		});
	});

	describe("by its responses", () => {
		it("slowly, byte by byte", async () => {
			gateway = loopbackGateway({ timeoutMs: 300 });
			for (const where of ["discovery", "token", "jwks", "userinfo"] as const) {
				provider.misbehave({
					[where]: (response: ServerResponse) => {
						response.writeHead(200, { "content-type": "application/json" });
						const timer = setInterval(() => response.write(" "), 20);
						response.on("close", () => clearInterval(timer));
					},
				});
				gateway = loopbackGateway({ timeoutMs: 300 });
				await fails(run(), "unreachable", /no response within 0.3 s/);
			}
		});

		it("never, within 5 s", async () => {
			provider.misbehave({ token: () => undefined });
			await fails(run(), "unreachable", /no response within 5 s/);
		});

		it("with 10 MB", async () => {
			for (const where of ["discovery", "token", "jwks", "userinfo"] as const) {
				let written = 0;
				provider.misbehave({
					[where]: (response: ServerResponse) => {
						response.writeHead(200, { "content-type": "application/json" });
						const more = () => {
							while (written < 10_000_000 && response.write(Buffer.alloc(16_384, " "))) written += 16_384;
							if (!response.destroyed && written < 10_000_000) response.once("drain", more);
						};
						more();
					},
				});
				gateway = loopbackGateway();
				await fails(run(), "invalid_answer", /more than 262144 bytes/);
				assert.ok(written < 10_000_000, `${written} bytes of ${where} were sent`);
			}
		});

		it("with something other than JSON, or with JSON that says it is not", async () => {
			for (const where of ["discovery", "token", "jwks", "userinfo"] as const) {
				for (const [type, body] of [
					["application/json", "<html>"],
					["application/json", "[]"],
					["application/json", "null"],
					["application/json", ""],
					["text/html", "{}"],
				] as const)
					await refused(
						{
							[where]: (response: ServerResponse) =>
								void response.writeHead(200, { "content-type": type }).end(body),
						},
						/JSON|pars|response/i,
					);
				gateway = loopbackGateway();
			}
		});

		it("with a server error", async () => {
			for (const where of ["discovery", "token", "jwks", "userinfo"] as const) {
				gateway = loopbackGateway();
				await refused(
					{
						[where]: (response: ServerResponse) => void response.writeHead(500).end("oops"),
					},
					/returned status 500/,
					"unreachable",
				);
			}
		});

		it("with an error of the protocol", async () => {
			for (const [error, reason] of [
				["invalid_client", "misconfigured"],
				["invalid_grant", "invalid_answer"],
				["<script>", "invalid_answer"],
			] as const)
				await refused({ token: (response) => sendJson(response, { error }, 400) }, /error/, reason);
		});

		it("with a certificate of another name, or of an untrusted authority", async () => {
			const authority = await trustedAuthority();
			const stranger = await startBadProvider(await authority.issue(["accounts.example.com"]));
			connection = connectionTo(stranger.issuer);
			await fails(run(), "unreachable", /ERR_TLS_CERT_ALTNAME_INVALID/);
			assert.deepEqual(stranger.received, []);
			await stranger.close();
			connection = connectionTo(provider.issuer);
		});

		it("by closing or refusing the connection", async () => {
			const deaf = createServer((socket) => socket.destroy());
			await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
			const { port } = deaf.address() as { port: number };
			connection = connectionTo(`https://127.0.0.1:${port}`);
			await fails(run(), "unreachable", /reset|failed/);
			await new Promise((resolve) => deaf.close(resolve));
			await fails(run(), "unreachable", /refused/);
			connection = connectionTo(provider.issuer);
		});
	});

	describe("by the redirect of the browser", () => {
		const answer = (change: (parameters: URLSearchParams) => void) => async (): Promise<void> => {
			const attempt = newAttempt();
			const back = await provider.visit(await gateway.authorizationUrl(connection, attempt));
			change(back.searchParams);
			await gateway.fetchProfile(connection, attempt, back.searchParams);
		};

		it("an error, another user's state or code, a repeated parameter, or none", async () => {
			for (const [change, reason, message] of [
				[(p: URLSearchParams) => p.set("error", "access_denied"), "denied", /access_denied/],
				[(p: URLSearchParams) => p.set("error", "server_error"), "unreachable", /server_error/],
				[(p: URLSearchParams) => p.set("error", "invalid_scope"), "misconfigured", /invalid_scope/],
				[(p: URLSearchParams) => p.set("error", "a\nb"), "invalid_answer", /invalid code/],
				[(p: URLSearchParams) => p.set("state", "x"), "invalid_answer", /state/],
				[(p: URLSearchParams) => p.delete("state"), "invalid_answer", /state/],
				[(p: URLSearchParams) => p.append("state", "x"), "invalid_answer", /once/],
				[(p: URLSearchParams) => p.append("code", "x"), "invalid_answer", /once/],
				[(p: URLSearchParams) => p.set("code", "x"), "invalid_answer", /invalid_grant/],
				[(p: URLSearchParams) => p.delete("code"), "invalid_answer", /code/],
			] as const)
				await fails(answer(change)(), reason, message);
		});
	});
});
