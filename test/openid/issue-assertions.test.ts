// Identity assertions for other authorization servers, in exchange for ID tokens (RFC 8693; ID-JAG).

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose";
import { APPLICATIONS } from "../harness/access/applications.ts";
import { EXCHANGE, TOKEN_TYPE } from "../harness/openid/acting-clients.ts";
import { ID_JAG, ID_TOKEN, sendToken } from "../harness/openid/assertions.ts";
import {
	basicAuth,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	ISSUER,
	openIdService,
	postForm,
	relyingParty,
	signedInBrowser,
	startAuthorization,
} from "../harness/openid/openid.ts";
import { addPerson, lastAuditOf, type Person } from "../harness/people/people.ts";
import { metricsOf } from "../harness/service/metrics.ts";

const PARTNER = "https://login.partner.example";
const RESOURCE = "https://api.partner.example/mcp";

describe("an assertion for another authorization server", () => {
	const service = openIdService({ metrics: true });
	let ada: Person;
	let shop: ConnectedClient;
	let idToken: string;
	before(async () => {
		service.clock.standAt(Date.now());
		ada = await addPerson(service, "ada", { email_verified: true });
		const audiences = [{ issuer: PARTNER, clientId: "shop-at-partner" }];
		shop = await connect(service, { firstParty: true, assertionAudiences: audiences }, { name: "Shop" });
		idToken = await idTokenOf(shop);
	});

	async function tokensOf(by: ConnectedClient, person = ada) {
		const { browser, token: session } = await signedInBrowser(service, person);
		const party = await relyingParty(service, by);
		const asked = await startAuthorization(party, { scope: "openid email" });
		return await exchange(party, await completeAuthorization(browser, asked.url, session), asked);
	}
	const idTokenOf = async (by: ConnectedClient, person?: Person): Promise<string> =>
		(await tokensOf(by, person)).id_token ?? assert.fail("no ID token");
	const ask = (fields: Record<string, string | undefined> = {}, by = shop) =>
		sendToken(service, by, {
			grant_type: EXCHANGE,
			requested_token_type: ID_JAG,
			subject_token: idToken,
			subject_token_type: ID_TOKEN,
			audience: PARTNER,
			resource: RESOURCE,
			scope: "invoices:read",
			...fields,
		});
	const errorOf = async (fields: Record<string, string | undefined>, by?: ConnectedClient) => {
		const { status, body } = await ask(fields, by);
		return [status, body.error];
	};

	it("says who the user is, signed for the other server and the client there", async () => {
		const { status, body, headers } = await ask();
		assert.equal(status, 200, JSON.stringify(body));
		const { access_token: assertion, ...others } = body;
		assert.deepEqual(others, {
			issued_token_type: ID_JAG,
			token_type: "N_A",
			expires_in: 300,
			scope: "invoices:read",
		});
		assert.equal(headers["cache-control"], "no-store");
		const jwks = await service.call<JSONWebKeySet>("GET", "/.well-known/jwks.json");
		const { payload, protectedHeader } = await jwtVerify(assertion, createLocalJWKSet(jwks.body), {
			issuer: ISSUER,
			audience: PARTNER,
			typ: "oauth-id-jag+jwt",
			algorithms: ["ES256"],
			currentDate: new Date(service.clock.now()),
		});
		assert.deepEqual(Object.keys(protectedHeader).sort(), ["alg", "kid", "typ"]);
		const { jti, iat, exp, auth_time: authTime, ...claims } = payload;
		assert.deepEqual(claims, {
			iss: ISSUER,
			sub: ada.id,
			aud: PARTNER,
			client_id: "shop-at-partner",
			resource: RESOURCE,
			scope: "invoices:read",
			amr: ["pwd"],
			email: ada.email,
			email_verified: true,
		});
		assert.deepEqual([Number(exp) - Number(iat), typeof authTime], [300, "number"]);
		assert.notEqual(jti, decodeJwt((await ask()).body.access_token).jti);
	});

	it("is audited with the client, the audience, and what was asked for", async () => {
		await ask({ resource: undefined, scope: undefined });
		assert.deepEqual(await lastAuditOf(service, `user:${ada.id}`), [
			"oauth.assertion_issued",
			{
				app_id: shop.id,
				app_name: "Shop",
				audience: PARTNER,
				client_id: "shop-at-partner",
				resource: null,
				scopes: [],
			},
		]);
	});

	it("is counted by its outcome", async () => {
		const count = async (outcome: string) =>
			(await metricsOf(service)).get(`latchkey_assertions_issued_total{outcome="${outcome}"}`) ?? 0;
		for (const [outcome, fields] of [
			["success", {}],
			["invalid_grant", { subject_token: "a.b.c" }],
			["invalid_target", { audience: "https://other.example" }],
		] as const) {
			const before = await count(outcome);
			await ask(fields);
			assert.equal(await count(outcome), before + 1, outcome);
		}
	});

	it("has no address that is not verified", async () => {
		const bob = await addPerson(service, "bob", { email_verified: false });
		const { body } = await ask({ subject_token: await idTokenOf(shop, bob) });
		const claims = decodeJwt(body.access_token);
		assert.deepEqual([claims.sub, claims.email, claims.email_verified], [bob.id, undefined, undefined]);
	});

	it("is refused for audiences that were not reviewed for the client", async () => {
		for (const audience of [undefined, "", `${PARTNER}/`, "https://evil.example", ISSUER])
			assert.deepEqual(await errorOf({ audience }), [400, "invalid_target"], String(audience));
		const other = await connect(service, { firstParty: true });
		const own = { subject_token: await idTokenOf(other) };
		assert.deepEqual(await errorOf(own, other), [400, "invalid_target"]);
		const spa = await connect(service, { type: "spa", authMethod: "none", firstParty: true });
		const asSpa = await postForm(service, "/oauth/token", {
			grant_type: EXCHANGE,
			requested_token_type: ID_JAG,
			client_id: spa.id,
			subject_token: idToken,
			subject_token_type: ID_TOKEN,
			audience: PARTNER,
		});
		assert.deepEqual([asSpa.status, asSpa.body.error], [401, "invalid_client"]);
	});

	it("is refused for everything but a live ID token of this client", async () => {
		const assertion = (await ask()).body.access_token;
		const other = await connect(service, { firstParty: true });
		const { access_token: accessToken, refresh_token: refreshToken } = await tokensOf(shop);
		const [header, payload] = idToken.split(".");
		for (const [name, subject] of Object.entries({
			"of another client": await idTokenOf(other),
			"an access token": accessToken,
			"a refresh token": String(refreshToken),
			"an assertion": assertion,
			"without signature": `${header}.${payload}.`,
			garbage: "a.b.c",
		}))
			assert.deepEqual(await errorOf({ subject_token: subject }), [400, "invalid_grant"], name);
		for (const fields of [
			{ subject_token: undefined },
			{ subject_token_type: TOKEN_TYPE },
			{ subject_token_type: undefined },
			{ actor_token: idToken },
			{ requested_token_type: "urn:ietf:params:oauth:token-type:saml2" },
		])
			assert.deepEqual(await errorOf(fields), [400, "invalid_request"], JSON.stringify(fields));
		assert.deepEqual(await errorOf({ scope: "a".repeat(2_049) }), [400, "invalid_scope"]);
		assert.deepEqual(await errorOf({ scope: 'a"b' }), [400, "invalid_scope"]);
		for (const resource of ["not a uri", `${RESOURCE}#part`, `${RESOURCE}#`])
			assert.deepEqual(await errorOf({ resource }), [400, "invalid_target"], resource);
	});

	it("is no token of this service", async () => {
		const assertion = (await ask()).body.access_token;
		const me = await service.call("GET", "/api/v1/users/me", { token: assertion });
		assert.equal(me.status, 401);
		const headers = { authorization: basicAuth(shop) };
		const introspected = await postForm(service, "/oauth/introspect", { token: assertion }, headers);
		assert.deepEqual(introspected.body, { active: false });
	});

	it("ends with the ID token, the session, the access, and the user", async () => {
		const own = { subject_token: await idTokenOf(shop) };
		assert.equal((await ask(own)).status, 200);
		const access = (policy: string) =>
			service.asAdmin("PATCH", `${APPLICATIONS}/${shop.id}`, { access_policy: policy });
		await access("assigned");
		assert.deepEqual(await errorOf(own), [400, "invalid_grant"]);
		await access("open");
		// The library signed it by the clock of the process.
		service.clock.advance(1_800_000);
		assert.deepEqual(await errorOf(own), [400, "invalid_grant"]);
		service.clock.standAt(Date.now());
		await service.asAdmin("POST", `/api/v1/users/${ada.id}/sessions/revoke`);
		assert.deepEqual(await errorOf(own), [400, "invalid_grant"]);
		const next = { subject_token: await idTokenOf(shop) };
		assert.equal((await ask(next)).status, 200);
		await service.asAdmin("PATCH", `/api/v1/users/${ada.id}`, { status: "disabled" });
		assert.deepEqual(await errorOf(next), [400, "invalid_grant"]);
	});

	it("is announced in both discovery documents", async () => {
		for (const name of ["openid-configuration", "oauth-authorization-server"]) {
			const { body } = await service.call<Record<string, readonly string[]>>("GET", `/.well-known/${name}`);
			assert.ok(body.grant_types_supported?.includes(EXCHANGE));
			assert.ok(body.grant_types_supported?.includes("urn:ietf:params:oauth:grant-type:jwt-bearer"));
			assert.deepEqual(body.authorization_grant_profiles_supported, [
				"urn:ietf:params:oauth:grant-profile:id-jag",
			]);
			assert.deepEqual(body.identity_chaining_requested_token_types_supported, [ID_JAG]);
		}
	});
});
