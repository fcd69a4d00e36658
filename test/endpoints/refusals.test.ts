// Refused calls of API clients, OAuth clients, and gates, in one list.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { ABSENT_ID, addApiClient, addApplication, addCast } from "../harness/access/applications.ts";
import { ask, BEHIND_PROXY, type KeyedGate, signedCall } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const REFUSALS = "/api/v1/refusals";

const service = testService({ env: BEHIND_PROXY });
const cast = fixture(() => addCast(service));

const list = async (query: Record<string, string>, token = cast.auditor.token) =>
	service.call("GET", `${REFUSALS}?${new URLSearchParams(query)}`, { token });
const found = async (query: Record<string, string>, count: number) => {
	const { body } = await eventually(
		() => list(query),
		({ body }) => body.total >= count && body.data.length >= Math.min(count, 1),
	);
	assert.equal(body.total, count, JSON.stringify(body));
	return body.data;
};

/** An application with an API client, an OAuth client, and a gate, each of which refused a call. */
async function refuseAll() {
	const application = await addApplication(service, {
		name: "Orders",
		redirect_uris: ["https://o.example/"],
	});
	const { id } = application;
	const partner = await addApiClient(service, { app_id: id, name: "Till" });
	await putOAuthClient(service, {}, id);
	const gate = await addGate(service, { rules: [{ path: "/orders", needs: "signed-in" }] }, id);
	const keyed: KeyedGate = { application_id: id, gate_key: gate.gate_key ?? "" };
	const wrong = { ...partner, secret: `${partner.secret}x` };
	const query = new URLSearchParams({
		client_id: id,
		response_type: "code",
		redirect_uri: "https://o.example/no",
	});
	const api = await service.signed(wrong, "GET", "/api/v1/external/whoami");
	const oauth = await service.call("GET", `/oauth/authorize?${query}`, { https: true });
	const headers = signedCall(service, partner, "/nowhere?secret=1");
	const stranger = await ask(service, keyed, "/orders");
	const atGate = await ask(service, keyed, "/orders", { headers: signedCall(service, wrong, "/orders") });
	return { id, partner, gate: keyed, headers, requestIds: [api, oauth, stranger, atGate].map(requestIdOf) };
}

function requestIdOf({ headers }: { readonly headers: Record<string, unknown> }): string {
	return String(headers["latchkey-request-id"] ?? headers["x-request-id"]);
}

describe("GET /api/v1/refusals", () => {
	describe("200", () => {
		it("finds a call by its request ID, wherever it was refused, with its reason and record", async () => {
			const { id, partner, requestIds } = await refuseAll();
			const one = async (request_id = "") => {
				const [refusal] = await found({ request_id }, 1);
				const { subject, subject_name, api_client_id, application_id, code, reason, rule, caller } =
					refusal ?? {};
				return [subject, subject_name, api_client_id, application_id, code, reason, rule, caller];
			};
			assert.deepEqual(await one(requestIds[0]), [
				"api_client",
				"Till",
				partner.id,
				id,
				"signature.invalid",
				"signature.mismatch",
				null,
				"-",
			]);
			assert.deepEqual(await one(requestIds[1]), [
				"oauth_client",
				"Orders",
				null,
				id,
				"invalid_redirect_uri",
				"redirect_uri did not match any of the client's registered redirect_uris: https://o.example/no",
				null,
				"-",
			]);
			assert.deepEqual(await one(requestIds[2]), ["gate", "Orders", null, id, "token.missing", null, 0, "-"]);
			assert.deepEqual(await one(requestIds[3]), [
				"gate",
				"Orders",
				null,
				id,
				"signature.invalid",
				"signature.mismatch",
				0,
				"-",
			]);
		});

		it("filters by record, subject, code, and time", async () => {
			const { id, partner, gate } = await refuseAll();
			const headers = signedCall(service, partner, "/orders");
			assert.equal((await ask(service, gate, "/orders", { headers })).status, 403);
			const all = await found({ application_id: id }, 5);
			assert.equal(all[0]?.caller, `partner:${partner.id}`);
			const subjects = async (query: Record<string, string>, count: number) =>
				(await found(query, count)).map(({ subject }) => subject);
			assert.deepEqual(await subjects({ api_client_id: partner.id }, 2), ["gate", "api_client"]);
			assert.deepEqual(await subjects({ application_id: id, subject: "gate" }, 3), ["gate", "gate", "gate"]);
			assert.deepEqual(await subjects({ application_id: id, code: "invalid_redirect_uri" }, 1), [
				"oauth_client",
			]);
			const now = service.clock.now();
			const from = new Date(now - DAY_MS).toISOString();
			const to = new Date(now + DAY_MS).toISOString();
			assert.equal((await found({ application_id: id, from, to }, 5)).length, 5);
			assert.deepEqual(await found({ application_id: id, from: to }, 0), []);
		});

		it("finds nothing by ids of another tenant, of no record, or of another request", async () => {
			const { id, partner, requestIds } = await refuseAll();
			await found({ application_id: id }, 4);
			const { adminToken } = await addSecondTenant(service);
			for (const query of [
				{ application_id: id },
				{ api_client_id: partner.id },
				{ request_id: requestIds[0] ?? "" },
				{},
			])
				assert.equal((await list(query, adminToken)).body.total, 0);
			for (const query of [{ application_id: ABSENT_ID }, { api_client_id: ABSENT_ID }, { request_id: "x" }])
				assert.deepEqual((await list(query)).body.data, []);
		});
	});
});
