import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import * as client from "openid-client";
import { ACCESS_TOKEN_SECONDS } from "../../src/domain/session.ts";
import {
	type ConnectedClient,
	connect,
	ISSUER,
	openIdService,
	relyingParty,
} from "../harness/openid/openid.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";

const ORDERS = "https://orders.example/api";
const INVALID_TARGET = { error: "invalid_target" };

describe("access tokens of services", () => {
	const service = openIdService();
	let orders: ConnectedClient;
	let worker: ConnectedClient;
	let party: client.Configuration;
	before(async () => {
		orders = await connect(service, { resource: ORDERS });
		worker = await connect(service, { type: "service", allowedResources: [ORDERS] });
		party = await relyingParty(service, worker);
	});

	const tokenFor = (resource: string, by = party) => client.clientCredentialsGrant(by, { resource });
	const partyOf = async (connected: ConnectedClient) => relyingParty(service, connected);

	it("is a JWT (RFC 9068) only for the API, which our keys verify", async () => {
		const response = await tokenFor(ORDERS);
		assert.deepEqual(
			[response.token_type, response.expires_in, response.scope, response.refresh_token, response.id_token],
			["bearer", ACCESS_TOKEN_SECONDS, undefined, undefined, undefined],
		);
		const keys = await service.call<JSONWebKeySet>("GET", "/.well-known/jwks.json", {});
		const { payload, protectedHeader } = await jwtVerify(
			response.access_token,
			createLocalJWKSet(keys.body),
			{
				typ: "at+jwt",
				algorithms: ["ES256"],
				issuer: ISSUER,
				audience: ORDERS,
				subject: worker.id,
			},
		);
		const { aud, client_id, tenant_id, iat = 0, exp = 0, jti, ...others } = payload;
		assert.deepEqual([aud, client_id, exp - iat], [ORDERS, worker.id, ACCESS_TOKEN_SECONDS]);
		assert.match(String(tenant_id), /^[0-9a-f-]{36}$/);
		assert.equal(typeof jti, "string");
		assert.deepEqual(Object.keys(others).sort(), ["iss", "sub"]);
		assert.deepEqual(Object.keys(protectedHeader).sort(), ["alg", "kid", "typ"]);
	});

	it("is refused by our API and the userinfo endpoint", async () => {
		const { access_token: token } = await tokenFor(ORDERS);
		const ours = await service.call("GET", "/api/v1/users/me", { token });
		assert.deepEqual([ours.status, ours.body.error], [401, "access token is invalid or expired"]);
		await assert.rejects(client.fetchUserInfo(party, token, worker.id), { status: 401 });
	});

	it("always names one API", async () => {
		await assert.rejects(client.clientCredentialsGrant(party, {}), INVALID_TARGET);
		const second = "https://second.example/api";
		await connect(service, { resource: second });
		const busy = await partyOf(
			await connect(service, { type: "service", allowedResources: [ORDERS, second] }),
		);
		for (const resource of [ORDERS, second])
			assert.equal(typeof (await tokenFor(resource, busy)).access_token, "string");
		const both = new URLSearchParams([ORDERS, second].map((resource) => ["resource", resource]));
		await assert.rejects(client.clientCredentialsGrant(busy, both), INVALID_TARGET);
	});

	it("has no scopes, and the response says so", async () => {
		const parameters = { resource: ORDERS, scope: "openid roles" };
		await assert.rejects(client.clientCredentialsGrant(party, parameters), { error: "invalid_scope" });
	});

	it("is only for APIs that an administrator allowed, compared exactly", async () => {
		for (const resource of [
			"https://orders.example/api/",
			"https://orders.example",
			"https://ORDERS.example/api",
			"https://orders.example/api?x=1",
			`${ORDERS}#x`,
			`${ISSUER}/api/v1`,
			ISSUER,
			"orders",
		])
			await assert.rejects(tokenFor(resource), INVALID_TARGET, resource);
		const other = await partyOf(await connect(service, { type: "service" }));
		await assert.rejects(tokenFor(ORDERS, other), INVALID_TARGET);
	});

	it("is no longer issued when the API is disabled, or its application deleted", async () => {
		const resource = "https://short.example/api";
		const api = await connect(service, { resource });
		const short = await partyOf(await connect(service, { type: "service", allowedResources: [resource] }));
		assert.equal(typeof (await tokenFor(resource, short)).access_token, "string");
		const path = `/api/v1/applications/${api.id}`;
		await service.asAdmin("PATCH", path, { status: "disabled" });
		await assert.rejects(tokenFor(resource, short), INVALID_TARGET);
		await service.asAdmin("DELETE", path);
		await assert.rejects(tokenFor(resource, short), INVALID_TARGET);
	});

	it("is refused to a disabled service, a wrong secret, another authentication method, and other types", async () => {
		const connected = await connect(service, { type: "service", allowedResources: [ORDERS] });
		const gone = await partyOf(connected);
		await service.asAdmin("PATCH", `/api/v1/applications/${connected.id}`, { status: "disabled" });
		const unknown = { status: 401 };
		await assert.rejects(tokenFor(ORDERS, gone), unknown);
		const wrong = await relyingParty(service, { ...worker, secret: orders.secret });
		await assert.rejects(tokenFor(ORDERS, wrong), unknown);
		const none = await relyingParty(service, worker, client.None());
		await assert.rejects(tokenFor(ORDERS, none), unknown);
		for (const type of ["web", "spa", "native"] as const) {
			const authMethod = type === "web" ? "client_secret_basic" : "none";
			const other = await connect(service, { type, authMethod, allowedResources: [ORDERS] });
			const auth = type === "web" ? undefined : client.None();
			await assert.rejects(tokenFor(ORDERS, await relyingParty(service, other, auth)), {
				error_description: "requested grant type is not allowed for this client",
			});
		}
	});

	it("cannot be used for a sign-in", async () => {
		const url = client.buildAuthorizationUrl(party, { redirect_uri: "https://a.example/", scope: "openid" });
		const response = await service.call("GET", url.pathname + url.search, {
			https: true,
			headers: { host: new URL(ISSUER).host },
		});
		assert.deepEqual([response.status, response.headers.location], [400, undefined]);
	});

	it("never crosses tenants, neither by naming an API of another tenant nor by an equal name", async () => {
		const second = await addSecondTenant(service);
		const theirs = await connect(service, { type: "service", allowedResources: [ORDERS] }, {}, second);
		await assert.rejects(tokenFor(ORDERS, await partyOf(theirs)), INVALID_TARGET);

		const contested = "https://contested.example/api";
		const allowed = { type: "service", allowedResources: [contested] } as const;
		const ours = await partyOf(await connect(service, allowed));
		const ourApi = await connect(service, { resource: contested });
		assert.equal(typeof (await tokenFor(contested, ours)).access_token, "string");
		const theirApi = await connect(service, { resource: contested }, {}, second);
		const impostor = await connect(service, allowed, {}, second);
		await assert.rejects(tokenFor(contested, await partyOf(impostor)), INVALID_TARGET);
		assert.equal(typeof (await tokenFor(contested, ours)).access_token, "string");

		const listed = async () => {
			const rows = await service.asAdmin("GET", "/api/v1/contested-resources");
			return rows.map((row) => [row.resource, row.application_id, row.tenant_id, row.assigned_tenant_id]);
		};
		const { tenant_id: first } = await service.asAdmin("GET", "/api/v1/users/me");
		assert.deepEqual(await listed(), [[contested, theirApi.id, second.id, first]]);
		const path = `/api/v1/tenants/${second.id}/resources`;
		await service.asAdmin("PUT", path, { resource: contested });
		await assert.rejects(tokenFor(contested, ours), INVALID_TARGET);
		assert.deepEqual(await listed(), [[contested, ourApi.id, first, second.id]]);
		assert.equal(typeof (await tokenFor(contested, await partyOf(impostor))).access_token, "string");
	});
});
