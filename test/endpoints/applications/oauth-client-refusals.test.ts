// The refused sign-ins of an OAuth client.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as client from "openid-client";
import {
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	openIdService,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	TestBrowser,
} from "../../harness/openid/openid.ts";
import { addPerson } from "../../harness/people/people.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { eventually } from "../../harness/webhooks/webhooks.ts";

describe("refused requests of an OAuth client", () => {
	const service = openIdService();

	const list = async ({ id }: ConnectedClient, token?: string) =>
		service.call("GET", `/api/v1/refusals?application_id=${id}&subject=oauth_client&page_size=100`, {
			token: token ?? (await service.adminToken()),
		});
	/** Refusals are written every few seconds. */
	const listed = async (shop: ConnectedClient, count: number) => {
		const { body } = await eventually(
			() => list(shop),
			// A write can fall between the reads of the total and of the page.
			({ body }) => body.data.length >= count && body.total === body.data.length,
		);
		assert.equal(body.total, count);
		return body.data;
	};

	describe("200", () => {
		it("lists refused sign-ins and token requests with their causes, newest first", async () => {
			const shop = await connect(service, { firstParty: true });
			const party = await relyingParty(service, shop);
			const ada = await addPerson(service, "ada");
			const { browser, token } = await signedInBrowser(service, ada);
			const unregistered = (await startAuthorization(party, { redirect_uri: "https://shop.example/other" }))
				.url;
			const page = await browser.go(unregistered.href);
			assert.match(String(page.body), /<h1>This application is not set up correctly<\/h1>/);
			assert.match(String(page.body), /<p>redirect_uri did not match/);
			assert.ok(String(page.body).includes(`/console/applications/${shop.id}#connect"`));
			service.clock.advance(1_000);
			const withoutChallenge = (await startAuthorization(party)).url;
			withoutChallenge.searchParams.delete("code_challenge");
			await browser.go(withoutChallenge.href);
			service.clock.advance(1_000);
			const impostor = await relyingParty(service, { ...shop, secret: "wrong" });
			await assert.rejects(client.refreshTokenGrant(impostor, "x"), { status: 401 });
			service.clock.advance(1_000);
			const asked = await startAuthorization(party);
			const returned = await completeAuthorization(browser, asked.url, token);
			const stolen = { ...asked, verifier: client.randomPKCECodeVerifier() };
			await assert.rejects(exchange(party, returned, stolen), { error: "invalid_grant" });

			const refusals = await listed(shop, 4);
			assert.deepEqual(
				refusals.map(({ code, method, path }) => `${code} ${method} ${path}`),
				[
					"invalid_grant POST /oauth/token",
					"invalid_client POST /oauth/token",
					"invalid_request GET /oauth/authorize",
					"invalid_redirect_uri GET /oauth/authorize",
				],
			);
			assert.match(refusals[1]?.reason ?? "", /secret/);
			assert.match(refusals[2]?.reason ?? "", /code_challenge|PKCE/);
			assert.match(refusals[3]?.reason ?? "", /: https:\/\/shop\.example\/other$/);
			assert.equal(refusals[3]?.request_id, page.headers["x-request-id"]);
			assert.doesNotMatch(JSON.stringify(refusals), /wrong/);
		});

		it("keeps the newest of each error", async () => {
			const shop = await connect(service);
			const party = await relyingParty(service, { ...shop, secret: "wrong" });
			for (let count = 0; count < 25; count++)
				await assert.rejects(client.refreshTokenGrant(party, "x"), { status: 401 });
			const browser = new TestBrowser(service);
			await browser.go(
				(await startAuthorization(party, { redirect_uri: "https://shop.example/other" })).url.href,
			);
			const refusals = await listed(shop, 21);
			assert.equal(refusals.filter(({ code }) => code === "invalid_client").length, 20);
		});

		it("lists none for devices that wait", async () => {
			const tv = await connect(service, { type: "native", authMethod: "none" });
			const party = await relyingParty(service, tv, client.None());
			const { device_code } = await client.initiateDeviceAuthorization(party, { scope: "openid" });
			const grant = "urn:ietf:params:oauth:grant-type:device_code";
			await assert.rejects(client.genericGrantRequest(party, grant, { device_code }), {
				error: "authorization_pending",
			});
			await assert.rejects(client.genericGrantRequest(party, grant, { device_code: "x" }), {
				error: "invalid_grant",
			});
			assert.deepEqual(
				(await listed(tv, 1)).map(({ code }) => code),
				["invalid_grant"],
			);
		});
	});

	it("are hidden from other tenants", async () => {
		const shop = await connect(service);
		const party = await relyingParty(service, { ...shop, secret: "wrong" });
		await assert.rejects(client.refreshTokenGrant(party, "x"), { status: 401 });
		assert.equal((await listed(shop, 1)).length, 1);
		const second = await addSecondTenant(service);
		assert.equal((await list(shop, second.adminToken)).body.total, 0);
	});
});
