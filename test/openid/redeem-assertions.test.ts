// Identity assertions of another authorization server get tokens here (RFC 7523, section 2.1; ID-JAG).

import assert from "node:assert/strict";
import { createHmac, createPublicKey } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as client from "openid-client";
import { APPLICATIONS, putGrant } from "../harness/access/applications.ts";
import { addVerifiedDomain, DOMAINS } from "../harness/domains/domains.ts";
import { type NameServer, startNameServer } from "../harness/domains/name-server.ts";
import {
	type AssertionChanges,
	addAssertingCompany,
	assertionFrom,
	INVOICES,
	JWT_BEARER,
	linkAccount,
	REACHES_COMPANY,
	sendToken,
} from "../harness/openid/assertions.ts";
import { makeClientKey } from "../harness/openid/client-assertion.ts";
import { connect, ISSUER, postForm, relyingParty, startOpenIdService } from "../harness/openid/openid.ts";
import { issuerBody, startPlatform } from "../harness/openid/workloads.ts";
import { addPerson, auditOf } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { addProvider, IDENTITY_PROVIDERS } from "../harness/providers/identity-providers.ts";
import { metricsOf } from "../harness/service/metrics.ts";
import type { TestService } from "../harness/service/service.ts";

const REFUSED = [400, "invalid_grant"];
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("redeeming an identity assertion", () => {
	let service: TestService;
	let dns: NameServer;
	let cast: Awaited<ReturnType<typeof addAssertingCompany>>;
	let asApi: client.Configuration;
	before(async () => {
		dns = await startNameServer();
		service = await startOpenIdService({ env: REACHES_COMPANY, metrics: true, nameServers: [dns.address] });
		service.clock.standAt(Date.now());
		cast = await addAssertingCompany(service);
		asApi = await relyingParty(service, cast.invoices);
	});
	after(async () => {
		await cast.company.server.close();
		await service.stop();
		await dns[Symbol.asyncDispose]();
	});

	const redeemed = async (changes?: AssertionChanges, more?: Record<string, string>) => {
		const { status, body } = await cast.redeem(await cast.assertion(changes), more);
		return [status, body.error ?? body.scope];
	};
	const tokenOf = async (changes?: AssertionChanges): Promise<string> => {
		const { status, body } = await cast.redeem(await cast.assertion(changes));
		assert.equal(status, 200, JSON.stringify(body));
		return body.access_token;
	};
	const isActive = async (token: string): Promise<boolean> =>
		(await client.tokenIntrospection(asApi, token)).active;
	const setIssuer = (fields: object) =>
		service.asAdmin("PATCH", `${IDENTITY_PROVIDERS}/${cast.issuer.id}`, fields);
	const sessions = async () =>
		(await service.asAdmin("GET", `/api/v1/users/${cast.ada.id}/sessions`)).filter(
			({ app_id }) => app_id === cast.agent.id,
		);

	it("returns a token of the user for the API, for 15 minutes and without a refresh token", async () => {
		const now = Math.floor(service.clock.now() / 1_000);
		const { status, body } = await cast.redeem(
			await cast.assertion({ claims: { scope: "invoices:read invoices:write openid", auth_time: now - 60 } }),
		);
		assert.equal(status, 200, JSON.stringify(body));
		const { access_token: token, ...others } = body;
		assert.deepEqual(others, { token_type: "Bearer", expires_in: 900, scope: "invoices:read" });
		const claims = decodeJwt(token);
		assert.deepEqual(
			[claims.sub, claims.aud, claims.client_id, claims.amr, claims.acr, claims.auth_time, claims.act],
			[cast.ada.id, INVOICES, cast.agent.id, ["fed"], undefined, now - 60, undefined],
		);
		const said = await client.tokenIntrospection(asApi, token);
		assert.deepEqual([said.active, said.sub, said.scope], [true, cast.ada.id, "invoices:read"]);
	});

	it("is counted by its outcome", async () => {
		const count = async (outcome: string) =>
			(await metricsOf(service)).get(`latchkey_assertions_redeemed_total{outcome="${outcome}"}`) ?? 0;
		for (const [outcome, claims] of [
			["success", {}],
			["invalid_grant", { sub: "bob@company" }],
			["invalid_scope", { scope: "invoices:write" }],
		] as const) {
			const before = await count(outcome);
			await redeemed({ claims });
			assert.equal(await count(outcome), before + 1, outcome);
		}
	});

	it("gives at most what the assertion names, the client asks for, and the user has", async () => {
		const named = (scope?: string, asked?: string) =>
			redeemed({ claims: { scope } }, asked === undefined ? {} : { scope: asked });
		assert.deepEqual(await named("invoices:read"), [200, "invoices:read"]);
		assert.deepEqual(await named("invoices:read invoices:write", "invoices:read"), [200, "invoices:read"]);
		assert.deepEqual(await named("invoices:write"), [400, "invalid_scope"]);
		assert.deepEqual(await named("invoices:read", "invoices:write"), [400, "invalid_scope"]);
		assert.deepEqual(await named(undefined, "invoices:read"), [400, "invalid_scope"]);
		// Without a scope there is none: such a token has no permission at a gate.
		assert.deepEqual(await named(undefined), [200, undefined]);
	});

	it("is for one resource, which the assertion or the request names", async () => {
		const none = { claims: { resource: undefined } };
		assert.deepEqual(await redeemed(none, { resource: INVOICES }), [200, "invoices:read"]);
		assert.deepEqual(await redeemed({ claims: { resource: [INVOICES] } }), [200, "invoices:read"]);
		for (const [changes, more] of [
			[none, {}],
			[{}, { resource: "https://other.example" }],
			[{ claims: { resource: "https://other.example" } }, {}],
			[{ claims: { resource: [INVOICES, "https://other.example"] } }, {}],
		] as const)
			assert.deepEqual(await redeemed(changes, more), [400, "invalid_target"], JSON.stringify(changes));
	});

	describe("refuses with one response", () => {
		it("assertions that are not exactly as they must be", async () => {
			const now = Math.floor(service.clock.now() / 1_000);
			const other = await connect(service, { allowedResources: [INVOICES] });
			const forged = await makeClientKey("ES256", "forged");
			const known = String(cast.company.key.publicJwk.kid);
			const bad: Readonly<Record<string, AssertionChanges>> = {
				"another typ": { header: { typ: "JWT" } },
				"typ of an access token": { header: { typ: "at+jwt" } },
				"no typ": { header: { typ: undefined } },
				"a typ that is no text": { header: { typ: 5 as unknown as string } },
				"a list of one audience": { claims: { aud: [ISSUER] } },
				"two audiences": { claims: { aud: [ISSUER, "https://other.example"] } },
				"another audience": { claims: { aud: "https://other.example" } },
				"the token endpoint as audience": { claims: { aud: `${ISSUER}/oauth/token` } },
				expired: { claims: { iat: now - 301, exp: now - 1 } },
				"valid for longer than 5 minutes": { claims: { exp: now + 301 } },
				"issued in the future": { claims: { iat: now + 120, exp: now + 300 } },
				"not valid yet": { claims: { nbf: now + 120 } },
				"no iat": { claims: { iat: undefined } },
				"no exp": { claims: { exp: undefined } },
				"no jti": { claims: { jti: undefined } },
				"a blank jti": { claims: { jti: " " } },
				"another client": { claims: { client_id: other.id } },
				"no client": { claims: { client_id: undefined } },
				"no subject": { claims: { sub: undefined } },
				"an unknown subject": { claims: { sub: "bob@company" } },
				"a subject with NUL": { claims: { sub: "ada\0" } },
				"an unknown issuer": { claims: { iss: "https://evil.example" } },
				"an issuer with NUL": { claims: { iss: "https://evil\0" } },
				"another key under the known kid": { key: forged, header: { kid: known } },
				"an unknown kid": { key: forged },
				"a resource that is no text": { claims: { resource: { uri: INVOICES } } },
			};
			for (const [name, changes] of Object.entries(bad))
				assert.deepEqual(await redeemed(changes), REFUSED, name);
			assert.deepEqual(await redeemed(), [200, "invoices:read"]);
		});

		it("assertions without a signature of the issuer", async () => {
			const good = await cast.assertion();
			const [header = "", payload = "", signature = ""] = good.split(".");
			const none = base64url({ alg: "none", typ: "oauth-id-jag+jwt" });
			const { kid } = cast.company.key.publicJwk;
			const symmetric = base64url({ alg: "HS256", typ: "oauth-id-jag+jwt", kid });
			const publicKey = createPublicKey({ key: cast.company.key.publicJwk as never, format: "jwk" });
			const mac = createHmac("sha256", publicKey.export({ type: "spki", format: "pem" }))
				.update(`${symmetric}.${payload}`)
				.digest("base64url");
			const wider = base64url({ ...decodeJwt(good), scope: "invoices:read invoices:write" });
			for (const [name, sent] of Object.entries({
				"alg none": `${none}.${payload}.`,
				"HS256 with the public key": `${symmetric}.${payload}.${mac}`,
				"another payload": `${header}.${wider}.${signature}`,
				"no signature": `${header}.${payload}.`,
				garbage: "a.b.c",
				"no JWT": "assertion",
				"an access token of this service": await tokenOf(),
			})) {
				const { status, body } = await cast.redeem(sent);
				assert.deepEqual([status, body.error], REFUSED, name);
			}
			assert.equal((await cast.redeem(good)).status, 200, "none of them used it");
		});

		it("issuers of other uses, of other tenants, and disabled ones", async () => {
			const tenant = await addSecondTenant(service);
			for (const [fields, token] of [
				[{ uses: ["workloads"] }, undefined],
				[{ uses: ["assertions"], enabled: false }, undefined],
				[{ uses: ["assertions"] }, tenant.adminToken],
			] as const) {
				const other = await startPlatform("ES256");
				const body = issuerBody(other.issuer, fields);
				const created = await service.call("POST", IDENTITY_PROVIDERS, {
					token: token ?? (await service.adminToken()),
					body,
				});
				assert.equal(created.status, 201, JSON.stringify(created.body));
				if (token === undefined)
					await linkAccount(service, cast.ada.id, String(body.provider), "ada@company");
				const sent = await assertionFrom(service, other, cast.agent);
				const answer = await cast.redeem(sent);
				assert.deepEqual([answer.status, answer.body.error], REFUSED, JSON.stringify(fields));
				assert.equal(other.reads(), 0);
				await other.server.close();
			}
		});

		it("says why to administrators only", async () => {
			const { body } = await cast.redeem(await cast.assertion({ claims: { aud: "https://other.example" } }));
			assert.equal(body.error_description, "grant request is invalid");
			const path = `/api/v1/refusals?application_id=${cast.agent.id}` as const;
			for (let tries = 0; tries < 50; tries++) {
				const page = await service.callAsAdmin("GET", path as "/api/v1/refusals");
				if (page.body.data.some(({ reason }) => reason?.includes("aud is not this service"))) return;
				await new Promise((resolve) => setTimeout(resolve, 100));
			}
			assert.fail("the refusal is not listed");
		});
	});

	it("works once, also for 20 requests at the same time", async () => {
		const sent = await cast.assertion();
		const answers = await Promise.all(Array.from({ length: 20 }, () => cast.redeem(sent)));
		assert.equal(answers.filter(({ status }) => status === 200).length, 1);
		for (const { status, body } of answers)
			if (status !== 200) assert.deepEqual([status, body.error], REFUSED);
		assert.deepEqual((await cast.redeem(sent)).status, 400);
	});

	it("refuses clients that do not authenticate, that do not sign users in, and requests without an assertion", async () => {
		const service_ = await connect(service, { type: "service", allowedResources: [INVOICES] });
		const spa = await connect(service, { type: "spa", authMethod: "none", allowedResources: [INVOICES] });
		const about = (by: { id: string }) => cast.assertion({ claims: { client_id: by.id } });
		const sent = async (by: typeof spa, wrong = by) => {
			const { status, body } = await cast.redeem(await about(by), {}, wrong);
			return [status, body.error];
		};
		assert.deepEqual(await sent(service_), [400, "unauthorized_client"]);
		assert.deepEqual(await sent(cast.agent, { ...cast.agent, secret: "wrong" }), [401, "invalid_client"]);
		const fields = { grant_type: JWT_BEARER, client_id: spa.id, assertion: await about(spa) };
		const asSpa = await postForm(service, "/oauth/token", fields);
		assert.deepEqual([asSpa.status, asSpa.body.error], [400, "unauthorized_client"]);
		const without = await sendToken(service, cast.agent, { grant_type: JWT_BEARER });
		assert.deepEqual([without.status, without.body.error], [400, "invalid_request"]);
	});

	it("keeps one session of a user, a client, and an issuer, and extends it", async () => {
		await setIssuer({ enabled: false });
		await setIssuer({ enabled: true });
		assert.equal((await sessions()).length, 0);
		const all = await Promise.all(Array.from({ length: 10 }, async () => tokenOf()));
		const [first, ...others] = all.map((token) => decodeJwt(token).grant_id);
		assert.ok(others.every((grant) => grant === first));
		assert.equal((await sessions()).length, 1);
		// The second follows too closely to extend it, the third extends it past its own token.
		for (const ms of [20_000, 600_000]) {
			service.clock.advance(ms);
			assert.equal(decodeJwt(await tokenOf()).grant_id, first);
		}
		service.clock.advance(929_000);
		assert.equal((await sessions()).length, 1);
		service.clock.advance(1_000);
		assert.equal((await sessions()).length, 0);
		assert.notEqual(decodeJwt(await tokenOf()).grant_id, first);
		// The library has the clock of the process.
		service.clock.standAt(Date.now());
		const signIns = (await auditOf(service, `user:${cast.ada.id}`)).filter(
			({ action, details }) => action === "user.signed_in" && details.provider === cast.issuer.provider,
		);
		assert.deepEqual(signIns.at(-1)?.details.amr, ["fed"]);
	});

	describe("ends at once", () => {
		it("when the issuer is disabled, or loses its use", async () => {
			for (const [off, on] of [
				[{ enabled: false }, { enabled: true }],
				[{ uses: ["workloads"] }, { uses: ["assertions"] }],
			]) {
				const token = await tokenOf();
				assert.equal(await isActive(token), true);
				await setIssuer(off as object);
				assert.deepEqual([await isActive(token), await redeemed()], [false, REFUSED]);
				await setIssuer(on as object);
				assert.deepEqual([await isActive(token), await redeemed()], [false, [200, "invoices:read"]]);
			}
		});

		it("when the user is disabled, or loses the role or the account", async () => {
			const disable = (status: string) =>
				service.asAdmin("PATCH", `/api/v1/users/${cast.ada.id}`, { status });
			const token = await tokenOf();
			await disable("disabled");
			assert.deepEqual([await isActive(token), await redeemed()], [false, REFUSED]);
			await disable("active");
			assert.deepEqual([await isActive(token), await redeemed()], [false, [200, "invoices:read"]]);
			await putGrant(service, cast.invoices.id, cast.ada.id, []);
			assert.deepEqual(await redeemed(), [400, "invalid_scope"]);
			await putGrant(service, cast.invoices.id, cast.ada.id, [cast.reader]);
		});

		it("when the domain of the user is enforced at another issuer", async () => {
			const { email } = await service.asAdmin("GET", `/api/v1/users/${cast.ada.id}`);
			const rename = (address: string) =>
				service.asAdmin("PATCH", `/api/v1/users/${cast.ada.id}`, { email: address });
			await rename("ada@bound.example");
			const { id: issuer_id } = await addProvider(service, { provider: "bound", force: true });
			await addVerifiedDomain(service, dns, "bound.example", { issuer_id });
			const token = await tokenOf();
			await service.asAdmin("PATCH", `${DOMAINS}/bound.example`, { enforce: true });
			assert.deepEqual([await isActive(token), await redeemed()], [false, REFUSED]);
			assert.equal((await sessions()).length, 0);
			await service.asAdmin("PATCH", `${DOMAINS}/bound.example`, { enforce: false });
			assert.deepEqual(await redeemed(), [200, "invoices:read"]);
			await rename(email);
		});

		it("when the client is disabled", async () => {
			const path = `${APPLICATIONS}/${cast.agent.id}` as const;
			const token = await tokenOf();
			await service.asAdmin("PATCH", path, { status: "disabled" });
			assert.equal(await isActive(token), false);
			await service.asAdmin("PATCH", path, { status: "active" });
		});
	});

	it("refuses to delete an issuer whose assertions signed users in", async () => {
		const own = await addAssertingFor();
		assert.equal(
			(await cast.redeem(await assertionFrom(service, own.company, cast.agent, own.bob))).status,
			200,
		);
		await unlink(own.userId);
		const remove = async () => {
			return service.callAsAdmin("DELETE", `${IDENTITY_PROVIDERS}/${own.issuer.id}`);
		};
		const refused = await remove();
		assert.deepEqual(
			[refused.status, (refused.body as { error?: string } | undefined)?.error],
			[409, "the issuer is in use: its assertions signed users in at Agent"],
		);
		await service.asAdmin("PATCH", `${IDENTITY_PROVIDERS}/${own.issuer.id}`, { enabled: false });
		assert.equal((await remove()).status, 204);
		await own.company.server.close();
	});

	let companies = 0;
	/** Another company, with Bob as its user. */
	async function addAssertingFor(fields: object = {}) {
		const company = await startPlatform("ES256", `/${++companies}`);
		const body = issuerBody(company.issuer, { uses: ["assertions"], ...fields });
		const issuer = await service.asAdmin("POST", IDENTITY_PROVIDERS, body);
		const { id: userId } = await addPerson(service, `bob-${issuer.provider}`);
		await linkAccount(service, userId, issuer.provider, "bob");
		await putGrant(service, cast.invoices.id, userId, [cast.reader]);
		return { company, issuer, userId, bob: { claims: { sub: "bob", oid: "oid-of-bob" } } };
	}
	async function unlink(userId: string): Promise<void> {
		const path = `/api/v1/users/${userId}/third-party-accounts` as const;
		for (const { id } of await service.asAdmin("GET", path)) await service.asAdmin("DELETE", `${path}/${id}`);
	}

	it("finds the user by the subject claim of the issuer", async () => {
		const own = await addAssertingFor({ subject_claim: "oid" });
		const send = async () => {
			const sent = await assertionFrom(service, own.company, cast.agent, own.bob);
			return (await cast.redeem(sent)).status;
		};
		assert.equal(await send(), 400);
		await linkAccount(service, own.userId, own.issuer.provider, "oid-of-bob");
		assert.equal(await send(), 200);
		await own.company.server.close();
	});

	describe("joins by address", () => {
		const joined = async (fields: object, claims: object, user: object = {}) => {
			const own = await addAssertingFor(fields);
			const person = await addPerson(service, `joined-${own.issuer.provider}`);
			await putGrant(service, cast.invoices.id, person.id, [cast.reader]);
			const email = `joined-${own.issuer.provider}@example.com`;
			const isVerified = { email_verified: true, ...user };
			await service.asAdmin("PATCH", `/api/v1/users/${person.id}`, { email, ...isVerified });
			const count = async () => (await service.callAsAdmin("GET", "/api/v1/users")).body.total;
			const before = await count();
			const changes = { claims: { sub: "new", email, email_verified: true, ...claims } };
			const sent = await assertionFrom(service, own.company, cast.agent, changes);
			const { status, body } = await cast.redeem(sent);
			assert.equal(await count(), before, "no user is created");
			await own.company.server.close();
			return status === 200 ? decodeJwt(body.access_token).sub === person.id : body.error;
		};
		const ANY = { email_domains: "any" };

		it("only where the issuer decides about addresses, and says that it is verified", async () => {
			assert.equal(await joined({}, {}), "invalid_grant");
			assert.equal(await joined(ANY, { email_verified: undefined }), "invalid_grant");
			assert.equal(await joined(ANY, { email_verified: "true" }), "invalid_grant");
			assert.equal(await joined(ANY, { email: "nobody@example.com" }), "invalid_grant");
			assert.equal(await joined(ANY, {}, { email_verified: false }), "invalid_grant");
			assert.equal(await joined(ANY, {}), true);
		});

		it("once for each assertion, and no disabled person", async () => {
			const own = await addAssertingFor(ANY);
			const send = async (email: string) => {
				const claims = { sub: email, email, email_verified: true };
				return await assertionFrom(service, own.company, cast.agent, { claims });
			};
			const person = await addPerson(service, "linked-once", { email_verified: true });
			await putGrant(service, cast.invoices.id, person.id, [cast.reader]);
			const sent = await send(person.email);
			assert.equal((await cast.redeem(sent)).status, 200);
			const path = `/api/v1/users/${person.id}/third-party-accounts` as const;
			for (const { id } of await service.asAdmin("GET", path))
				assert.equal((await service.callAsAdmin("DELETE", `${path}/${id}`)).status, 204);
			assert.equal((await cast.redeem(sent)).body.error, "invalid_grant");
			assert.deepEqual(await service.asAdmin("GET", path), []);
			const gone = await addPerson(service, "gone", { email_verified: true });
			await service.asAdmin("PATCH", `/api/v1/users/${gone.id}`, { status: "disabled" });
			assert.equal((await cast.redeem(await send(gone.email))).body.error, "invalid_grant");
			const links = await service.callAsAdmin("GET", `/api/v1/users/${gone.id}/third-party-accounts`);
			assert.deepEqual(links.body.data, []);
			await own.company.server.close();
		});

		it("no person who gets no token", async () => {
			const own = await addAssertingFor(ANY);
			const person = await addPerson(service, "joined-late", { email_verified: true });
			const linked = async () =>
				(await service.asAdmin("GET", `/api/v1/users/${person.id}/third-party-accounts`)).length;
			const send = async () => {
				const claims = { sub: "late", email: person.email, email_verified: true };
				const { body } = await cast.redeem(await assertionFrom(service, own.company, cast.agent, { claims }));
				return [body.error ?? body.scope, await linked()];
			};
			const { id: agentId } = cast.agent;
			const access = (access_policy: string) =>
				service.asAdmin("PATCH", `${APPLICATIONS}/${agentId}`, { access_policy });
			// No role at the API.
			assert.deepEqual(await send(), ["invalid_scope", 0]);
			await putGrant(service, cast.invoices.id, person.id, [cast.reader]);
			await access("assigned");
			assert.deepEqual(await send(), ["invalid_grant", 0]);
			await access("open");
			assert.deepEqual(await send(), ["invoices:read", 1]);
			await own.company.server.close();
		});

		it("never a person with a role of the system", async () => {
			for (const role of ["admin", "reviewer", "auditor"])
				assert.equal(await joined(ANY, {}, { roles: [role] }), "invalid_grant", role);
		});
	});

	it("needs a second factor where one is required: mfa in amr, or a listed acr", async () => {
		const own = await addAssertingFor({ mfa_acr: ["urn:two"] });
		const path = `${APPLICATIONS}/${cast.invoices.id}` as const;
		await service.asAdmin("PATCH", path, { require_mfa: true });
		const send = async (claims: object) => {
			const changes = { claims: { ...own.bob.claims, ...claims } };
			const { body } = await cast.redeem(await assertionFrom(service, own.company, cast.agent, changes));
			return body.error ?? decodeJwt(body.access_token).amr;
		};
		assert.equal(await send({}), "invalid_target");
		assert.equal(await send({ amr: ["pwd"], acr: "urn:one" }), "invalid_target");
		assert.deepEqual(await send({ amr: ["pwd", "mfa"] }), ["fed", "mfa"]);
		assert.deepEqual(await send({ acr: "urn:two" }), ["fed", "mfa"]);
		await service.asAdmin("PATCH", path, { require_mfa: false });
		await service.asAdmin("PATCH", `${APPLICATIONS}/${cast.agent.id}`, { require_mfa: true });
		assert.equal(await send({}), "invalid_grant");
		await service.asAdmin("PATCH", `${APPLICATIONS}/${cast.agent.id}`, { require_mfa: false });
		await own.company.server.close();
	});

	describe("keys of the issuer", () => {
		it("that were removed verify nothing any more, and a new one is read within a minute", async () => {
			const own = await addAssertingFor();
			const next = await makeClientKey("ES256", "next");
			const send = async (key = own.company.key) => {
				const sent = await assertionFrom(service, own.company, cast.agent, { ...own.bob, key });
				return (await cast.redeem(sent)).status;
			};
			assert.equal(await send(), 200);
			own.company.publish(next.publicJwk);
			service.clock.advance(61_000);
			assert.deepEqual([await send(next), own.company.reads()], [200, 2]);
			assert.deepEqual([await send(), own.company.reads()], [400, 2]);
			await own.company.server.close();
		});

		it("of a dead issuer cost others nothing, and are read at most once a minute", async () => {
			const own = await addAssertingFor();
			await own.company.server.close();
			const started = performance.now();
			const send = () =>
				assertionFrom(service, own.company, cast.agent, own.bob).then((sent) => cast.redeem(sent));
			const dead = Promise.all(Array.from({ length: 20 }, send));
			assert.deepEqual(await redeemed(), [200, "invoices:read"]);
			for (const { status, body } of await dead) assert.deepEqual([status, body.error], REFUSED);
			assert.ok(performance.now() - started < 5_000);
			const lines = service.logs().match(/keys of an issuer cannot be read/g) ?? [];
			assert.equal(lines.length, 1);
		});
	});

	it("takes other keys from platform admins only while one has an account at the issuer", async () => {
		const { token } = await addPerson(service, "merely-admin", { roles: ["admin"] });
		const path = `${IDENTITY_PROVIDERS}/${cast.issuer.id}`;
		const own = await makeClientKey("ES256", "own");
		const change = async (body: object) => (await service.call("PATCH", path, { token, body })).status;
		assert.equal(await change({ jwks: { keys: [own.publicJwk] } }), 200);
		assert.equal(await change({ jwks: null }), 200);
		const boss = await addPerson(service, "boss", { roles: ["platform_admin"] });
		await linkAccount(service, boss.id, cast.issuer.provider, "boss@company");
		assert.equal(await change({ jwks: { keys: [own.publicJwk] } }), 403);
		assert.equal(await change({ jwks_uri: "https://keys.example/jwks" }), 403);
		assert.equal(await change({ display_name: "The company" }), 200);
		await setIssuer({ uses: ["workloads"] });
		assert.equal(await change({ uses: ["workloads", "assertions"] }), 403);
		await setIssuer({ uses: ["assertions"] });
	});

	it("has the discovery document read when its issuer begins to sign users in", async () => {
		const own = await addAssertingFor({});
		await own.company.server.close();
		const body = { uses: ["sign_in", "assertions"], client_id: "here", client_secret: "a secret" };
		const change = async (more: object) =>
			(
				await service.callAsAdmin("PATCH", `${IDENTITY_PROVIDERS}/${own.issuer.id}`, {
					body: { ...body, ...more },
				})
			).status;
		assert.equal(await change({}), 400);
		assert.equal(await change({ force: true }), 200);
	});
});
