// Token exchange (RFC 8693): an API acts at another API for the person who called it.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { decodeJwt } from "jose";
import * as client from "openid-client";
import { APPLICATIONS, putGrant } from "../harness/access/applications.ts";
import { ask, BEHIND_PROXY, type Decision, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import {
	addActingClients,
	BILLING,
	EXCHANGE,
	ORDERS,
	STOCK,
	TOKEN_TYPE,
} from "../harness/openid/acting-clients.ts";
import { keySettings, makeClientKey } from "../harness/openid/client-assertion.ts";
import { makeProofKey } from "../harness/openid/dpop-proof.ts";
import {
	type ConnectedClient,
	completeAuthorization,
	connect,
	openIdService,
	postForm,
	exchange as redeemCode,
	relyingParty,
	startAuthorization,
} from "../harness/openid/openid.ts";
import type { Person } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { metricsOf } from "../harness/service/metrics.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

describe("token exchange", () => {
	const service = openIdService({ env: BEHIND_PROXY, metrics: true });
	let cast: Awaited<ReturnType<typeof addActingClients>>;
	let ada: Person;
	let session: string;
	let shop: ConnectedClient;
	let orders: ConnectedClient;
	let billing: ConnectedClient;
	let gate: KeyedGate;
	let subject: string;
	let reader: string;
	before(async () => {
		cast = await addActingClients(service);
		({ ada, session, shop, orders, billing, reader, subject } = cast);
		gate = (await addGate(
			service,
			{
				rules: [
					{ path: "/invoices/*", methods: ["GET"], needs: "invoices:read" },
					{ path: "/invoices/*", needs: "invoices:write" },
				],
				statement: true,
			},
			billing.id,
		)) as KeyedGate;
	});

	const tokenFor: typeof cast.tokenFor = (...asked) => cast.tokenFor(...asked);
	const exchange: typeof cast.exchange = (...asked) => cast.exchange(...asked);
	const errorOf = async (...asked: Parameters<typeof exchange>) => {
		const { status, body } = await exchange(...asked);
		return `${status} ${body.error}`;
	};
	const atGate = (token: string, method = "GET"): Promise<Decision> =>
		ask(service, gate, "/invoices/1", { method, headers: { authorization: `Bearer ${token}` } });
	const patch = (id: string, change: object) => service.asAdmin("PATCH", `${APPLICATIONS}/${id}`, change);

	describe("of a token that a person sent to the client", () => {
		it("returns a token that names the client in act, for five minutes, without a refresh token", async () => {
			const { status, body } = await exchange({ scope: "invoices:read invoices:write roles" });
			assert.equal(status, 200, JSON.stringify(body));
			const { access_token, ...others } = body;
			assert.deepEqual(others, {
				issued_token_type: TOKEN_TYPE,
				token_type: "Bearer",
				expires_in: 300,
				scope: "invoices:read",
			});
			const claims = decodeJwt(access_token);
			const before = decodeJwt(subject);
			assert.deepEqual(
				[
					claims.sub,
					claims.aud,
					claims.client_id,
					claims.act,
					claims.roles,
					Number(claims.exp) - Number(claims.iat),
				],
				[ada.id, BILLING, orders.id, { sub: orders.id }, ["reader"], 300],
			);
			for (const name of ["grant_id", "auth_time", "acr", "amr", "tenant_id"])
				assert.deepEqual(claims[name], before[name], name);
		});

		it("is counted by its outcome", async () => {
			const count = async (outcome: string) =>
				(await metricsOf(service)).get(`latchkey_token_exchanges_total{outcome="${outcome}"}`) ?? 0;
			for (const [outcome, change] of [
				["success", {}],
				["invalid_grant", { subject_token: "a.b.c" }],
				["invalid_scope", { scope: "no" }],
				["invalid_target", { resource: "https://other.example" }],
				["invalid_request", { actor_token: "a" }],
			] as const) {
				const before = await count(outcome);
				await exchange({ scope: "invoices:read", ...change });
				assert.equal(await count(outcome), before + 1, outcome);
			}
		});

		it("passes the gate as the person, through the client, with both programs in statement and JSON", async () => {
			const { access_token: token } = (await exchange()).body;
			const passed = await atGate(token);
			assert.deepEqual(
				[passed.outcome, passed.headers["latchkey-through"], passed.headers["latchkey-permissions"]],
				[`200 person:${ada.id}`, orders.id, "invoices:read"],
			);
			const statement = decodeJwt(String(passed.headers["latchkey-statement"]));
			assert.deepEqual([statement.sub, statement.chain], [`person:${ada.id}`, [orders.id, shop.id]]);
			const verified = await service.call<{ data: { caller: object } }>(
				"POST",
				`/gate/${billing.id}/verify`,
				{
					body: {
						method: "GET",
						target: "/invoices/1",
						scheme: "https",
						ip: "203.0.113.7",
						headers: { authorization: `Bearer ${token}` },
					},
					headers: { "x-gate-key": gate.gate_key },
				},
			);
			assert.deepEqual(verified.body.data.caller, {
				kind: "person",
				id: ada.id,
				name: "ada",
				through: orders.id,
				chain: [orders.id, shop.id],
			});
			const direct = decodeJwt(String((await atGate(await tokenFor(BILLING))).headers["latchkey-statement"]));
			assert.equal("chain" in direct, false);
		});

		it("lists a refusal at the gate with both programs", async () => {
			const { access_token: token } = (await exchange()).body;
			const refused = await atGate(token, "POST");
			assert.equal(refused.outcome, "403 application.access_denied");
			const requestId = refused.headers["latchkey-request-id"];
			const { body } = await eventually(
				() =>
					service.callAsAdmin<{ data: { caller: string; reason: string | null }[] }>(
						"GET",
						`/api/v1/refusals?request_id=${requestId}`,
					),
				({ body }) => body.data.length > 0,
			);
			const [row] = body.data;
			assert.equal(row?.caller, `person:${ada.id}`);
			assert.ok(row?.reason?.includes(orders.id) && row.reason.includes(shop.id), String(row?.reason));
		});

		it("is introspected by the API with act", async () => {
			const { access_token: token } = (await exchange()).body;
			const answer = await client.tokenIntrospection(await relyingParty(service, billing), token);
			assert.deepEqual(
				[answer.active, answer.act, answer.scope],
				[true, { sub: orders.id }, "invoices:read"],
			);
		});

		it("binds the new token to the key of the client, and accepts a bound subject", async () => {
			const party = await relyingParty(service, shop);
			const bound = await tokenFor(ORDERS, shop, client.getDPoPHandle(party, await makeProofKey()));
			assert.notEqual(decodeJwt(bound).cnf, undefined);
			const actor = await relyingParty(service, orders);
			const { publicKey, privateKey, thumbprint } = await makeProofKey();
			const answer = await client.genericGrantRequest(
				actor,
				EXCHANGE,
				{ subject_token: bound, subject_token_type: TOKEN_TYPE, resource: BILLING, scope: "invoices:read" },
				{ DPoP: client.getDPoPHandle(actor, { publicKey, privateKey }) },
			);
			assert.equal(answer.token_type, "dpop");
			assert.deepEqual(decodeJwt(answer.access_token).cnf, { jkt: thumbprint });
			assert.equal((await atGate(answer.access_token)).outcome, "401 token.invalid");
		});

		it("gives a client of the profile fapi2 only bound tokens", async () => {
			const key = await makeClientKey();
			const resource = "https://bank.example/api";
			const bank = await connect(service, {
				profile: "fapi2",
				responseModes: ["query"],
				resource,
				allowedResources: [BILLING],
				actsForPeople: [BILLING],
				...keySettings(key.publicJwk),
			});
			const front = await connect(service, { firstParty: true, allowedResources: [resource] });
			const actor = await relyingParty(service, bank, client.PrivateKeyJwt(key.privateKey));
			const sent = {
				subject_token: await tokenFor(resource, front),
				subject_token_type: TOKEN_TYPE,
				resource: BILLING,
				scope: "invoices:read",
			};
			await assert.rejects(client.genericGrantRequest(actor, EXCHANGE, sent), { error: "invalid_grant" });
			const DPoP = client.getDPoPHandle(actor, await makeProofKey());
			const answer = await client.genericGrantRequest(actor, EXCHANGE, sent, { DPoP });
			assert.equal(answer.token_type, "dpop");
		});

		it("can be repeated, and never has more", async () => {
			const [first, second] = [(await exchange()).body, (await exchange()).body];
			assert.notEqual(first.access_token, second.access_token);
			assert.equal(first.scope, second.scope);
		});
	});

	describe("with a subject that is not for the client", () => {
		it("refuses every such token with one text", async () => {
			const other = await connect(service, {
				resource: "urn:other",
				allowedResources: [BILLING],
				actsForPeople: [BILLING],
			});
			const worker = await connect(service, { type: "service", allowedResources: [ORDERS] });
			const ofService = await client.clientCredentialsGrant(await relyingParty(service, worker), {
				resource: ORDERS,
			});
			const second = await addSecondTenant(service);
			const foreign = await connect(
				service,
				{ resource: "urn:foreign", allowedResources: [BILLING], actsForPeople: [BILLING] },
				{},
				second,
			);
			const idToken = await redeemed();
			const answers = [
				await exchange({}, other),
				await exchange({ subject_token: ofService.access_token }),
				await exchange({ subject_token: await tokenFor(BILLING) }),
				await exchange({ subject_token: idToken }),
				await exchange({ subject_token: await service.adminToken() }),
				await exchange({ subject_token: `${subject}x` }),
				await exchange({ subject_token: "x.y.z" }),
			];
			const texts = new Set(
				answers.map(({ status, body }) => `${status} ${body.error} ${body.error_description}`),
			);
			assert.equal(texts.size, 1, [...texts].join("\n"));
			assert.match([...texts].join(), /^400 invalid_grant /);
			// The API is not one of the other tenant.
			assert.equal(await errorOf({}, foreign), "400 invalid_target");
		});
		async function redeemed(): Promise<string> {
			const party = await relyingParty(service, shop);
			const asked = await startAuthorization(party);
			const returned = await completeAuthorization(cast.browser, asked.url, session);
			return (await redeemCode(party, returned, asked)).id_token ?? "";
		}

		it("refuses a token that was exchanged before", async () => {
			await service.asAdmin("PATCH", `${APPLICATIONS}/${billing.id}/oauth-client`, {
				allowed_resources: [STOCK],
				acts_for_people: [STOCK],
			});
			const { access_token: token } = (await exchange()).body;
			const again = { subject_token: token, resource: STOCK, scope: "stock:read" };
			assert.equal(await errorOf(again, billing), "400 invalid_request");
		});
	});

	describe("with parameters that are refused", () => {
		it("names what is wrong", async () => {
			const spa = await connect(service, { type: "spa", authMethod: "none" });
			const cases: readonly (readonly [Record<string, string | undefined>, string, ConnectedClient?])[] = [
				[{ subject_token: undefined }, "400 invalid_request"],
				[{ subject_token_type: "urn:ietf:params:oauth:token-type:id_token" }, "400 invalid_request"],
				[{ actor_token: subject, actor_token_type: TOKEN_TYPE }, "400 invalid_request"],
				[{ requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" }, "400 invalid_request"],
				[{ resource: undefined }, "400 invalid_target"],
				[{ resource: STOCK }, "400 invalid_target"],
				[{ resource: "https://unknown.example" }, "400 invalid_target"],
				[{}, "400 invalid_target", shop],
				[{ scope: undefined }, "400 invalid_scope"],
				[{ scope: "invoices:write" }, "400 invalid_scope"],
				[{}, "401 invalid_client", { ...orders, secret: "ocs_wrong" }],
				[{ client_id: spa.id }, "400 invalid_request"],
			];
			for (const [fields, expected, by = orders] of cases)
				assert.equal(await errorOf(fields, by), expected, JSON.stringify(fields));
			const { body } = await exchange({ scope: undefined });
			assert.match(String(body.error_description), /scope is required.*invoices:read/);
		});

		it("refuses public clients", async () => {
			const spa = await connect(service, {
				type: "spa",
				authMethod: "none",
				resource: "urn:spa",
				allowedResources: [BILLING],
				actsForPeople: [BILLING],
			});
			const form = {
				grant_type: EXCHANGE,
				client_id: spa.id,
				subject_token: subject,
				subject_token_type: TOKEN_TYPE,
				resource: BILLING,
				scope: "invoices:read",
			};
			const { status, body } = await postForm(service, "/oauth/token", form);
			assert.deepEqual([status, body.error], [401, "invalid_client"]);
		});
	});

	describe("after something ended", () => {
		it("refuses the token at the next request, and exchanges no further one", async () => {
			const { access_token: token } = (await exchange()).body;
			const api = await relyingParty(service, billing);
			const isActive = async () => (await client.tokenIntrospection(api, token)).active;
			const steps: readonly (readonly [
				end: () => Promise<unknown>,
				gate: string,
				undo: () => Promise<unknown>,
			])[] = [
				[
					() => patch(orders.id, { status: "disabled" }),
					"401 token.invalid",
					() => patch(orders.id, { status: "active" }),
				],
				[
					() => patch(shop.id, { status: "disabled" }),
					"401 token.invalid",
					() => patch(shop.id, { status: "active" }),
				],
				[
					() =>
						service.asAdmin("PATCH", `${APPLICATIONS}/${orders.id}/oauth-client`, { acts_for_people: [] }),
					"401 token.invalid",
					() =>
						service.asAdmin("PATCH", `${APPLICATIONS}/${orders.id}/oauth-client`, {
							acts_for_people: [BILLING],
						}),
				],
				[
					() =>
						service.asAdmin("PATCH", `${APPLICATIONS}/${shop.id}/oauth-client`, {
							allowed_resources: [BILLING],
						}),
					"401 token.invalid",
					() =>
						service.asAdmin("PATCH", `${APPLICATIONS}/${shop.id}/oauth-client`, {
							allowed_resources: [ORDERS, BILLING],
						}),
				],
				[
					() => patch(shop.id, { access_policy: "assigned" }),
					"401 token.invalid",
					() => patch(shop.id, { access_policy: "open" }),
				],
				[
					() => patch(orders.id, { access_policy: "assigned" }),
					"401 token.invalid",
					() => patch(orders.id, { access_policy: "open" }),
				],
				[
					() => putGrant(service, billing.id, ada.id, []),
					"403 application.access_denied",
					() => putGrant(service, billing.id, ada.id, [reader]),
				],
			];
			for (const [index, [end, expected, undo]] of steps.entries()) {
				assert.equal((await atGate(token)).status, 200, `before ${index}`);
				assert.equal(await isActive(), true);
				await end();
				assert.equal((await atGate(token)).outcome, expected, `after ${index}`);
				assert.notEqual((await exchange()).status, 200, `exchange after ${index}`);
				await undo();
			}
			await service.call("POST", "/api/v1/auth/logout", { token: session });
			assert.equal((await atGate(token)).outcome, "401 token.invalid");
			assert.equal(await errorOf(), "400 invalid_grant");
			assert.equal(await isActive(), false);
		});
	});
});
