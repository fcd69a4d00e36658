// Access tokens with which an application uses another application's API for a user (RFC 8707, RFC 9068).

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import * as client from "openid-client";
import { ACCESS_TOKEN_SECONDS } from "../../src/domain/session.ts";
import { MINUTE_MS } from "../../src/kernel/clock.ts";
import { rows } from "../harness/access/access-requests.ts";
import { addRole, putGrant } from "../harness/access/applications.ts";
import { makeProofKey } from "../harness/openid/dpop-proof.ts";
import {
	CALLBACK,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	ISSUER,
	idOf,
	openIdService,
	proceed,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	type TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";

const ORDERS = "https://orders.example/api";
const STOCK = "urn:example:stock";
const INVALID_TARGET = { error: "invalid_target" };

describe("access tokens of users for APIs", () => {
	const service = openIdService();
	let ada: Person;
	let browser: TestBrowser;
	let session: string;
	let orders: ConnectedClient;
	let shop: ConnectedClient;
	let party: client.Configuration;
	before(async () => {
		ada = await addPerson(service, "ada");
		({ browser, token: session } = await signedInBrowser(service, ada));
		orders = await connect(service, { resource: ORDERS }, { name: "Orders" });
		await connect(service, { resource: STOCK }, { name: "Stock" });
		shop = await connect(service, { firstParty: true, allowedResources: [ORDERS, STOCK] });
		party = await relyingParty(service, shop);
	});

	/** Completes a sign-in; the second parameter goes to the token endpoint. */
	async function redeem(
		parameters: Record<string, string>,
		{ resource }: { resource?: string } = {},
		{ by = party, DPoP }: { by?: client.Configuration; DPoP?: client.DPoPHandle } = {},
	) {
		const asked = await startAuthorization(by, parameters);
		const returned = await completeAuthorization(browser, asked.url, session);
		return exchange(by, returned, asked, { resource, DPoP });
	}
	const forOrders = (by = party) => redeem({ resource: ORDERS }, { resource: ORDERS }, { by });
	async function claimsIn(token: string, audience = ORDERS): Promise<JWTPayload> {
		const keys = await service.call<JSONWebKeySet>("GET", "/.well-known/jwks.json", {});
		const options = { typ: "at+jwt", algorithms: ["ES256"], issuer: ISSUER, audience };
		return (await jwtVerify(token, createLocalJWKSet(keys.body), options)).payload;
	}
	/** The immediate response to the application, without a page for the user. */
	async function errorOf(parameters: Record<string, string>, by = party): Promise<string | null> {
		const { url } = await startAuthorization(by, { prompt: "none", ...parameters });
		const back = new URL((await browser.go(url.href)).headers.location ?? "");
		assert.equal(back.href.startsWith(CALLBACK), true, back.href);
		return back.searchParams.get("error");
	}

	it("are JWTs for the API, with the user and their roles there", async () => {
		const role = await addRole(service, orders.id, "clerk", ["orders:read"]);
		await putGrant(service, orders.id, ada.id, [role.id]);
		const tokens = await forOrders();
		assert.deepEqual(
			[tokens.token_type, tokens.expires_in, tokens.scope],
			["bearer", ACCESS_TOKEN_SECONDS, undefined],
		);
		const issued = await claimsIn(tokens.access_token);
		const { iat = 0, exp = 0, jti, tenant_id, grant_id, auth_time, ...claims } = issued;
		assert.deepEqual(claims, {
			iss: ISSUER,
			aud: ORDERS,
			sub: ada.id,
			client_id: shop.id,
			amr: ["pwd"],
			roles: ["clerk"],
			permissions: ["orders:read"],
			groups: [],
		});
		assert.equal(exp - iat, ACCESS_TOKEN_SECONDS);
		assert.equal(auth_time, tokens.claims()?.auth_time);
		for (const text of [jti, tenant_id, grant_id]) assert.equal(typeof text, "string");
		assert.deepEqual(tokens.claims()?.roles, [], "the ID token has those in the application that asks");
	});

	it("have roles if the scope was granted, and after a refresh if it is requested again", async () => {
		const narrow = await redeem({ scope: "openid", resource: ORDERS }, { resource: ORDERS });
		assert.equal("roles" in (await claimsIn(narrow.access_token)), false);
		const wide = await forOrders();
		const narrowed = await client.refreshTokenGrant(party, wide.refresh_token ?? "", {
			resource: ORDERS,
			scope: "openid",
		});
		assert.equal("roles" in (await claimsIn(narrowed.access_token)), false);
	});

	it("are not stored, and invalid for userinfo and our API; without a resource they are opaque", async () => {
		const { access_token: token } = await forOrders();
		await assert.rejects(client.fetchUserInfo(party, token, ada.id), { status: 401 });
		const ours = await service.call("GET", "/api/v1/users/me", { token });
		assert.equal(ours.status, 401);
		const before = await rows(service, "SELECT digest FROM oauth_records WHERE kind = 'AccessToken'");
		await forOrders();
		const after = await rows(service, "SELECT digest FROM oauth_records WHERE kind = 'AccessToken'");
		assert.equal(after.length, before.length);
		const opaque = await redeem({ resource: ORDERS });
		assert.doesNotMatch(opaque.access_token, /\./);
		assert.equal((await client.fetchUserInfo(party, opaque.access_token, ada.id)).sub, ada.id);
	});

	it("are refreshed for each requested API, and for no other", async () => {
		const asked = await startAuthorization(party);
		asked.url.searchParams.append("resource", ORDERS);
		asked.url.searchParams.append("resource", STOCK);
		const returned = await completeAuthorization(browser, asked.url, session);
		const first = await exchange(party, returned, asked, { resource: STOCK });
		assert.equal((await claimsIn(first.access_token, STOCK)).sub, ada.id);
		const second = await client.refreshTokenGrant(party, first.refresh_token ?? "", { resource: ORDERS });
		assert.equal((await claimsIn(second.access_token)).sub, ada.id);
		const third = await client.refreshTokenGrant(party, second.refresh_token ?? "");
		assert.equal((await client.fetchUserInfo(party, third.access_token, ada.id)).sub, ada.id);
		const both = new URLSearchParams([ORDERS, STOCK].map((resource) => ["resource", resource]));
		await assert.rejects(client.refreshTokenGrant(party, third.refresh_token ?? "", both), INVALID_TARGET);
		const one = await forOrders();
		await assert.rejects(
			client.refreshTokenGrant(party, one.refresh_token ?? "", { resource: STOCK }),
			INVALID_TARGET,
		);
	});

	it("leave the refresh token unchanged if they are refused", async () => {
		const { refresh_token = "" } = await redeem({});
		for (const resource of [ORDERS, "urn:example:none", "not a uri"])
			await assert.rejects(client.refreshTokenGrant(party, refresh_token, { resource }), INVALID_TARGET);
		service.clock.advance(MINUTE_MS);
		assert.equal((await client.refreshTokenGrant(party, refresh_token)).claims()?.sub, ada.id);
	});

	it("do not hide the reuse of a refresh token if they are refused", async () => {
		const { refresh_token = "" } = await redeem({});
		const next = await client.refreshTokenGrant(party, refresh_token);
		service.clock.advance(MINUTE_MS);
		const reused = client.refreshTokenGrant(party, refresh_token, { resource: "urn:example:none" });
		await assert.rejects(reused, { error: "invalid_grant" });
		await assert.rejects(client.refreshTokenGrant(party, next.refresh_token ?? ""), {
			error: "invalid_grant",
		});
	});

	it("are refused if the code was not for that API", async () => {
		await assert.rejects(redeem({}, { resource: ORDERS }), INVALID_TARGET);
		await assert.rejects(redeem({ resource: ORDERS }, { resource: STOCK }), INVALID_TARGET);
	});

	it("are refused for an API that is unknown, malformed, not allowed, or of another tenant", async () => {
		await connect(service, { resource: "urn:example:beside" });
		const second = await addSecondTenant(service);
		await connect(service, { resource: "urn:example:theirs" }, {}, second);
		const greedy = await relyingParty(
			service,
			await connect(service, {
				firstParty: true,
				allowedResources: ["urn:example:theirs", "urn:example:gone"],
			}),
		);
		for (const resource of [
			"urn:example:beside",
			"urn:example:none",
			"not a uri",
			`${ORDERS}/`,
			`${ORDERS}#a`,
			ISSUER,
		])
			assert.equal(await errorOf({ resource }), "invalid_target", resource);
		for (const resource of ["urn:example:theirs", "urn:example:gone", ORDERS])
			assert.equal(await errorOf({ resource }, greedy), "invalid_target", resource);
		await assert.rejects(
			client.buildAuthorizationUrlWithPAR(
				party,
				(await startAuthorization(party, { resource: "urn:example:none" })).url.searchParams,
			),
			INVALID_TARGET,
		);
		const known = await startAuthorization(party, {
			resource: "urn:example:none",
			redirect_uri: "https://evil.example/",
		});
		const page = await browser.go(known.url.href);
		assert.deepEqual([page.status, page.headers.location], [400, undefined]);
	});

	it("are only for users who may use the API, checked at sign-in, code, and refresh", async () => {
		const resource = "urn:example:assigned";
		const api = await connect(service, { resource }, { access_policy: "assigned", name: "Assigned" });
		const by = await relyingParty(
			service,
			await connect(service, { firstParty: true, allowedResources: [resource] }),
		);
		const asked = await startAuthorization(by, { resource });
		assert.equal(await errorOf({ resource }, by), "access_denied");
		const sent = await browser.go(asked.url.href);
		const refused = await proceed(browser, idOf(sent.headers.location), session);
		assert.equal(refused.status, 403, JSON.stringify(refused.body));

		const role = await addRole(service, api.id, "user", []);
		await putGrant(service, api.id, ada.id, [role.id]);
		const tokens = await redeem({ resource }, { resource }, { by });
		const fresh = await startAuthorization(by, { resource });
		const returned = await completeAuthorization(browser, fresh.url, session);
		const refresh = tokens.refresh_token ?? "";
		const introspected = () => client.tokenIntrospection(by, tokens.access_token);
		assert.deepEqual((await introspected()).roles, ["user"]);
		await service.asAdmin("DELETE", `/api/v1/applications/${api.id}/grants/users/${ada.id}`);
		assert.deepEqual(await introspected(), { active: false });
		await assert.rejects(client.refreshTokenGrant(by, refresh, { resource }), INVALID_TARGET);
		await assert.rejects(exchange(by, returned, fresh, { resource }), INVALID_TARGET);
		// The sign-in to the application itself stays valid.
		assert.equal((await client.refreshTokenGrant(by, refresh)).claims()?.sub, ada.id);
	});

	it("become invalid with the permission of the application, and with the API", async () => {
		for (const ends of ["API disabled", "resource no longer allowed"]) {
			const resource = `urn:example:${ends.replaceAll(" ", "-")}`;
			const api = await connect(service, { resource });
			const asking = await connect(service, { firstParty: true, allowedResources: [resource] });
			const by = await relyingParty(service, asking);
			const { access_token, refresh_token = "" } = await redeem({ resource }, { resource }, { by });
			assert.equal((await client.tokenIntrospection(by, access_token)).active, true);
			if (ends === "API disabled")
				await service.asAdmin("PATCH", `/api/v1/applications/${api.id}`, { status: "disabled" });
			else
				await service.asAdmin("PUT", `/api/v1/applications/${asking.id}/oauth-client`, {
					type: "web",
					first_party: true,
				});
			assert.deepEqual(await client.tokenIntrospection(by, access_token), { active: false }, ends);
			await assert.rejects(client.refreshTokenGrant(by, refresh_token, { resource }), INVALID_TARGET, ends);
			assert.equal(await errorOf({ resource }, by), "invalid_target", ends);
		}
	});

	it("require consent to the named API, even if the scopes have consent", async () => {
		const asking = await connect(service, { allowedResources: [ORDERS] });
		const by = await relyingParty(service, asking);
		await redeem({}, {}, { by });
		assert.equal(await errorOf({}, by), null);
		assert.equal(await errorOf({ resource: ORDERS }, by), "consent_required");
		const sent = await browser.go((await startAuthorization(by, { resource: ORDERS })).url.href);
		assert.match(sent.headers.location ?? "", /\/consent\?/);
		const shown = await browser.go(`/api/v1/auth/interactions/${idOf(sent.headers.location)}`);
		const { resources, apis } = (shown.body as { data: { resources: string[]; apis: object[] } }).data;
		assert.deepEqual([resources, apis], [[ORDERS], [{ resource: ORDERS, name: "Orders", scopes: [] }]]);
		const tokens = await forOrders(by);
		assert.equal(await errorOf({ resource: ORDERS }, by), null);
		assert.equal((await client.tokenIntrospection(by, tokens.access_token)).active, true);

		const listed = await service.call<{ data: { id: string; application: { id: string } }[] }>(
			"GET",
			"/api/v1/users/me/consents",
			{ token: session },
		);
		const consent = listed.body.data.find(({ application }) => application.id === asking.id);
		await service.call("DELETE", `/api/v1/users/me/consents/${consent?.id}`, { token: session });
		assert.deepEqual(await client.tokenIntrospection(by, tokens.access_token), { active: false });
		await assert.rejects(client.refreshTokenGrant(by, tokens.refresh_token ?? "", { resource: ORDERS }), {
			error: "invalid_grant",
		});
	});

	it("are introspected only by the application and the API, until the session is revoked", async () => {
		const { browser: own, token } = await signedInBrowser(service, ada);
		const asked = await startAuthorization(party, { resource: ORDERS });
		const returned = await completeAuthorization(own, asked.url, token);
		const { access_token } = await exchange(party, returned, asked, { resource: ORDERS });
		const asApi = await relyingParty(service, orders);
		for (const by of [party, asApi]) {
			const said = await client.tokenIntrospection(by, access_token);
			assert.deepEqual(
				[said.active, said.sub, said.client_id, said.aud, said.token_type],
				[true, ada.id, shop.id, ORDERS, "Bearer"],
			);
		}
		const beside = await relyingParty(service, await connect(service, { allowedResources: [ORDERS] }));
		assert.deepEqual(await client.tokenIntrospection(beside, access_token), { active: false });
		await own.post("/api/v1/auth/logout", undefined, token);
		for (const by of [party, asApi])
			assert.deepEqual(await client.tokenIntrospection(by, access_token), { active: false });
	});

	it("can be bound to a key like others (DPoP)", async () => {
		const key = await makeProofKey();
		const DPoP = client.getDPoPHandle(party, key);
		const tokens = await redeem({ resource: ORDERS }, { resource: ORDERS }, { DPoP });
		assert.equal(tokens.token_type, "dpop");
		assert.deepEqual((await claimsIn(tokens.access_token)).cnf, { jkt: key.thumbprint });
		const said = await client.tokenIntrospection(party, tokens.access_token);
		assert.deepEqual([said.token_type, said.cnf], ["DPoP", { jkt: key.thumbprint }]);
	});

	it("are returned for a request without openid, for its only API", async () => {
		const asked = await startAuthorization(party, { scope: "roles", resource: ORDERS });
		asked.url.searchParams.delete("nonce");
		const returned = await completeAuthorization(browser, asked.url, session);
		const tokens = await client.authorizationCodeGrant(party, returned, {
			pkceCodeVerifier: asked.verifier,
			expectedState: asked.state,
		});
		assert.equal((await claimsIn(tokens.access_token)).sub, ada.id);
		const next = await client.refreshTokenGrant(party, tokens.refresh_token ?? "");
		assert.deepEqual((await claimsIn(next.access_token)).roles, ["clerk"]);
	});
});
