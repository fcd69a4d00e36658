// Assertions are used once across nodes, and what ends a token at one node ends it at the other; on PostgreSQL with two
// nodes.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as client from "openid-client";
import { APPLICATIONS, putGrant } from "../harness/access/applications.ts";
import { addActingClients, BILLING } from "../harness/openid/acting-clients.ts";
import { addAssertingCompany, JWT_BEARER, REACHES_COMPANY, sendToken } from "../harness/openid/assertions.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { relyingParty } from "../harness/openid/openid.ts";
import { type OpenIdNodes, startOpenIdNodes } from "../harness/processes/openid-nodes.ts";
import { IDENTITY_PROVIDERS } from "../harness/providers/identity-providers.ts";
import type { TestService } from "../harness/service/service.ts";

const ASSERTIONS = 60;

describe("nodes that redeem assertions", () => {
	let installation: OpenIdNodes;
	let one: TestService;
	let other: TestService;
	let cast: Awaited<ReturnType<typeof addAssertingCompany>>;
	before(async () => {
		installation = await startOpenIdNodes(REACHES_COMPANY);
		one = installation.nodes[0] as TestService;
		other = installation.nodes.at(-1) as TestService;
		cast = await addAssertingCompany(one);
	});
	after(async () => {
		await cast.company.server.close();
		await installation.remove();
	});

	const redeemAt = (node: TestService, assertion: string) =>
		sendToken(node, cast.agent, { grant_type: JWT_BEARER, assertion });

	it(`accept each of ${ASSERTIONS} that are sent to both at once, once`, async () => {
		const sent = await Promise.all(Array.from({ length: ASSERTIONS }, () => cast.assertion()));
		const answers = await Promise.all(
			sent.map((assertion) => Promise.all([redeemAt(one, assertion), redeemAt(other, assertion)])),
		);
		for (const pair of answers)
			assert.deepEqual(pair.map(({ status, body }) => [status, body.error]).sort(), [
				[200, undefined],
				[400, "invalid_grant"],
			]);
		const sessions = await one.callAsAdmin("GET", `/api/v1/users/${cast.ada.id}/sessions`);
		assert.equal(sessions.body.data.filter(({ app_id }) => app_id === cast.agent.id).length, 1);
	});

	it("end at both when the issuer is disabled at one, also for those redeemed meanwhile", async () => {
		const asApi = await Promise.all([one, other].map((node) => relyingParty(node, cast.invoices)));
		const set = (enabled: boolean) =>
			one.asAdmin("PATCH", `${IDENTITY_PROVIDERS}/${cast.issuer.id}`, { enabled });
		const sent = await Promise.all(Array.from({ length: 30 }, () => cast.assertion()));
		const [, ...answers] = await Promise.all([
			set(false),
			...sent.map((assertion, index) => redeemAt(index % 2 === 0 ? one : other, assertion)),
		]);
		for (const { status, body } of answers)
			if (status === 200)
				for (const party of asApi)
					assert.equal((await client.tokenIntrospection(party, body.access_token)).active, false);
		assert.equal((await redeemAt(other, await cast.assertion())).status, 400);
		await set(true);
		assert.equal((await redeemAt(other, await cast.assertion())).status, 200);
	});
});

describe("nodes that exchange tokens", () => {
	let installation: OpenIdNodes;
	let one: TestService;
	let other: TestService;
	before(async () => {
		installation = await startOpenIdNodes();
		one = installation.nodes[0] as TestService;
		other = installation.nodes.at(-1) as TestService;
	});
	after(() => installation.remove());

	it("are refused at the next request on both nodes after what they depend on ended", async () => {
		const { ada, billing, orders, shop, reader, exchange, session } = await addActingClients(one);
		const parties = await Promise.all([one, other].map((node) => relyingParty(node, billing)));
		const states = (token: string) =>
			Promise.all(parties.map(async (party) => (await client.tokenIntrospection(party, token)).active));
		const scopes = (token: string) =>
			Promise.all(parties.map(async (party) => (await client.tokenIntrospection(party, token)).scope));
		const patch = (id: string, status: string) => one.asAdmin("PATCH", `${APPLICATIONS}/${id}`, { status });
		const settings = (acts: readonly string[]) =>
			one.asAdmin("PATCH", `${APPLICATIONS}/${orders.id}/oauth-client`, { acts_for_people: acts });
		const token = async () => (await exchange()).body.access_token;
		for (const [name, end, undo] of [
			["actor disabled", () => patch(orders.id, "disabled"), () => patch(orders.id, "active")],
			["front disabled", () => patch(shop.id, "disabled"), () => patch(shop.id, "active")],
			["acts_for_people dropped", () => settings([]), () => settings([BILLING])],
		] as const) {
			const held = await token();
			assert.deepEqual(await states(held), [true, true], name);
			await end();
			assert.deepEqual(await states(held), [false, false], name);
			await undo();
		}
		const held = await token();
		assert.deepEqual(await scopes(held), ["invoices:read", "invoices:read"]);
		await putGrant(one, billing.id, ada.id, []);
		assert.equal((await exchange()).status, 400, "role taken away");
		await putGrant(one, billing.id, ada.id, [reader]);
		await one.call("POST", "/api/v1/auth/logout", { token: session });
		assert.deepEqual(await states(held), [false, false], "session ended");
		assert.equal((await exchange()).body.error, "invalid_grant");
	});
});

describe("an API that acts for people who called it directly", () => {
	it("exchanges their tokens if it is the front client, too", async () => {
		const installation = await startOpenIdNodes();
		const service = installation.nodes[0] as TestService;
		try {
			const cast = await addActingClients(service);
			// Orders signs people in itself, and gets a token for its own resource.
			await putOAuthClient(
				service,
				{
					first_party: true,
					resource: "https://orders.example/api",
					allowed_resources: ["https://orders.example/api", BILLING],
					acts_for_people: [BILLING],
				},
				cast.orders.id,
			);
			const own = await cast.tokenFor("https://orders.example/api", cast.orders);
			const { status, body } = await cast.exchange({ subject_token: own });
			assert.equal(status, 200, JSON.stringify(body));
			const party = await relyingParty(service, cast.billing);
			const said = await client.tokenIntrospection(party, body.access_token);
			assert.deepEqual([said.active, said.sub, said.act], [true, cast.ada.id, { sub: cast.orders.id }]);
			await service.asAdmin("PATCH", `${APPLICATIONS}/${cast.orders.id}`, { status: "disabled" });
			assert.equal((await client.tokenIntrospection(party, body.access_token)).active, false);
		} finally {
			await installation.remove();
		}
	});
});
