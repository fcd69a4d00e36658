// Logs and metrics of refused requests: the operator sees the reason, but the caller does not.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ERROR_KINDS, REFUSAL_REASONS } from "../../src/kernel/error.ts";
import { readDocument, tableRows } from "../docs/document.ts";
import { submitApproved } from "../harness/access/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	APPLICATIONS,
	addApiClient,
	addApplication,
} from "../harness/access/applications.ts";
import { WHOAMI } from "../harness/access/signed-wire.ts";
import { addPerson } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";
import { metricsOf } from "../harness/service/metrics.ts";
import type { CallResponse, Credentials } from "../harness/service/service.ts";

type Line = Readonly<Record<string, unknown>>;

const service = testService({ metrics: true });

/** Waits for the log: the caller may receive the response before the request is logged. */
async function lineOf(response: CallResponse): Promise<Line> {
	const id = response.headers["x-request-id"];
	for (let turn = 0; turn < 10_000; turn++) {
		const found = service
			.logs()
			.split("\n")
			.filter((line) => line.includes(`"request_id":"${id}"`));
		if (found.length > 0) return JSON.parse(found[0] as string);
		await new Promise((resolve) => setImmediate(resolve));
	}
	throw new Error(`${id} is not in the log`);
}

const patch = async (path: string, body: object): Promise<void> => {
	const response = await service.callAsAdmin("PATCH", path, { body });
	assert.equal(response.status, 200, JSON.stringify(response.body));
};

describe("a refused signed call", () => {
	type Client = Credentials & { readonly id: string };
	const cases: Readonly<Record<string, (client: Client) => Promise<Credentials>>> = {
		"client.unknown": async (client) => ({ ...client, api_key: `${client.api_key.slice(0, -4)}nono` }),
		"client.disabled": async (client) => {
			await patch(`${API_CLIENTS}/${client.id}`, { status: "disabled" });
			return client;
		},
		"client.unclaimed": async (client) => {
			const { api_client_id } = await submitApproved(service);
			const { data } = (await service.callAsAdmin("GET", `${API_CLIENTS}/${api_client_id}`)).body;
			return { ...client, ...data };
		},
		"client.expired": async (client) => {
			const expires_at = new Date(service.clock.now() + 60_000).toISOString();
			await patch(`${API_CLIENTS}/${client.id}`, { expires_at });
			service.clock.advance(61_000);
			return client;
		},
		"client.application_disabled": async (client) => {
			await patch(`${APPLICATIONS}/${client.app_id}`, { status: "disabled" });
			return client;
		},
		"client.other_tenant": async (client) => ({ ...client, tenant_id: ABSENT_ID }),
		"client.other_application": async (client) => ({ ...client, app_id: (await addApplication(service)).id }),
		"signature.mismatch": async (client) => ({ ...client, secret: `sk_${"x".repeat(43)}` }),
	};

	for (const [reason, spoil] of Object.entries(cases)) {
		it(`logs and counts ${reason}, and returns the same response as for every other reason`, async () => {
			const client = await addApiClient(service);
			const credentials = (await spoil(client)) as Client;
			const headers = { accept: "application/problem+json" };
			const response = await service.signed(credentials, "GET", `${WHOAMI}?a=b`, { headers });
			const { request_id: _, ...shown } = response.body;
			assert.deepEqual(shown, {
				type: "https://localhost:8443/docs/errors#signature.invalid",
				title: "Unauthorized",
				status: 401,
				detail: "signature or credentials are not valid",
				code: "signature.invalid",
				errors: [],
			});
			const { code, reason: logged, client_id, tenant_id, route, path } = await lineOf(response);
			const isKnown = reason !== "client.unknown";
			assert.deepEqual(
				{ code, logged, client_id, tenant_id, route, path },
				{
					code: "signature.invalid",
					logged: reason,
					client_id: isKnown ? credentials.id : undefined,
					tenant_id: isKnown ? client.tenant_id : undefined,
					route: WHOAMI,
					path: undefined,
				},
			);
			const metrics = await metricsOf(service);
			assert.equal(metrics.get(`latchkey_http_errors_total{code="signature.invalid",reason="${reason}"}`), 1);
		});
	}

	it("logs the code and the client if the signature is valid", async () => {
		const client = await addApiClient(service, { scopes: [] });
		const nonce = "a-nonce-that-is-used";
		const refused = [
			await service.signed(client, "GET", `/api/v1/external/users/${ABSENT_ID}`),
			await service.signed(client, "GET", WHOAMI, { nonce }),
			await service.signed(client, "GET", WHOAMI, { nonce }),
		].filter(({ status }) => status !== 200);
		assert.deepEqual(
			(await Promise.all(refused.map(lineOf))).map(({ code, reason, client_id, tenant_id }) => [
				code,
				reason,
				client_id,
				tenant_id,
			]),
			["scope.missing", "nonce.reused"].map((code) => [code, undefined, client.id, client.tenant_id]),
		);
	});

	it("logs the client of the API key if the call is refused before the key is looked up", async () => {
		const client = await addApiClient(service);
		const path = "/api/v1/external/users/check-access";
		const refused = [
			await service.signed(client, "GET", WHOAMI, { timestamp: "1000000000" }),
			await service.signed(client, "GET", WHOAMI, { headers: { "x-signature": "short" } }),
			await service.signed(client, "GET", "/api/v1/external/nowhere"),
			await service.signed(client, "POST", path, { body: { user_id: "x".repeat(70_000) } }),
		];
		const lines = await Promise.all(refused.map(lineOf));
		assert.deepEqual(
			lines.map(({ code, client_id, tenant_id }) => [code, client_id, tenant_id]),
			["signature.timestamp", "signature.headers", "route.not_found", "request.too_large"].map((code) => [
				code,
				client.id,
				client.tenant_id,
			]),
		);
		const unknown = { ...client, api_key: "ak_0123456789abcdef0123456789" };
		const line = await lineOf(await service.signed(unknown, "GET", WHOAMI, { timestamp: "1000000000" }));
		assert.deepEqual([line.code, line.client_id], ["signature.timestamp", undefined]);
	});

	it("leaves no signature, Secret or nonce in the log", async () => {
		const client = await addApiClient(service);
		const headers = { "x-signature": "abcdef0123456789".repeat(4) };
		const nonce = "a-nonce-nobody-logs";
		const response = await service.signed(client, "GET", WHOAMI, { nonce, headers });
		assert.equal((await lineOf(response)).reason, "signature.mismatch");
		for (const secret of [headers["x-signature"], nonce, client.secret, client.api_key])
			assert.ok(!service.logs().includes(secret));
	});
});

describe("a refused call with a token", () => {
	it("logs the user, and why a token is invalid", async () => {
		const person = await addPerson(service, "refused");
		const me = (await service.call("GET", "/api/v1/users/me", { token: person.token })).body.data;
		const read = async (token: string): Promise<Line> =>
			lineOf(await service.call("GET", "/api/v1/users", { token }));
		const concerned = ({ code, reason, user_id, tenant_id }: Line) => [code, reason, user_id, tenant_id];
		assert.deepEqual(concerned(await read(person.token)), ["role.required", undefined, me.id, me.tenant_id]);
		const { token } = person;
		assert.deepEqual(concerned(await read(`${token}x`)), [
			"token.invalid",
			"token.unverified",
			undefined,
			undefined,
		]);
		await service.call("POST", "/api/v1/auth/logout", { token });
		assert.deepEqual(concerned(await read(token)), [
			"token.invalid",
			"token.session_ended",
			me.id,
			me.tenant_id,
		]);
		service.clock.advance(901_000);
		assert.deepEqual(concerned(await read(token)).slice(0, 2), ["token.invalid", "token.expired"]);
	});

	it("logs the tenant of a visitor", async () => {
		const body = { username: "no-such-person", password: "no such password" };
		const line = await lineOf(await service.call("POST", "/api/v1/auth/login", { body }));
		const me = await service.callAsAdmin("GET", "/api/v1/users/me");
		assert.deepEqual([line.code, line.tenant_id], ["credentials.invalid", me.body.data.tenant_id]);
	});
});

describe("a 404", () => {
	it("logs the truncated path without the query and possible credentials", async () => {
		const secret = `sk_${"s".repeat(20)}`;
		for (const [sent, shown] of [
			["/api/v1/usres?email=ada@example.org", "/api/v1/usres"],
			[`/api/v1/reset/${"t".repeat(43)}`, "/api/v1/reset/***"],
			[`/claim/${secret}/x`, "/claim/***/x"],
			[`/api/v2/users/${ABSENT_ID}`, `/api/v2/users/${ABSENT_ID}`],
			[`/${"ab/".repeat(500)}`, `/${"ab/".repeat(500)}`.slice(0, 200)],
		] as const) {
			const line = await lineOf(await service.call("GET", sent));
			assert.deepEqual([line.code, line.route, line.path], ["route.not_found", "none", shown]);
		}
		const known = await service.callAsAdmin("GET", `/api/v1/users/${ABSENT_ID}?q=1`);
		assert.equal((await lineOf(known)).path, undefined);
		const absent = await service.callAsAdmin("GET", `/api/v1/users/${ABSENT_ID}`);
		const { code, path } = await lineOf(absent);
		assert.deepEqual([code, path], ["user.not_found", `/api/v1/users/${ABSENT_ID}`]);
		assert.ok(!service.logs().includes(secret));
	});
});

describe("the counter of errors", () => {
	it("has only labels from two closed lists", async () => {
		await service.call("GET", "/nowhere");
		const series = [...(await metricsOf(service)).keys()].filter((name) =>
			name.startsWith("latchkey_http_errors"),
		);
		assert.ok(series.length >= 8);
		for (const name of series) {
			const [, code = "", reason = ""] = /\{code="([^"]*)",reason="([^"]*)"\}$/.exec(name) ?? [];
			assert.ok(code in ERROR_KINDS, name);
			assert.ok(reason === "" || (REFUSAL_REASONS as readonly string[]).includes(reason), name);
		}
	});

	it("has reasons that docs/monitoring.md explains", () => {
		const logs = readDocument("docs/monitoring.md")
			.split(/^## /m)
			.find((part) => part.startsWith("Logs"));
		const rows = tableRows(logs ?? "").map(([name]) => name?.replaceAll("`", "") ?? "");
		const documented = rows.filter((name) => /^(admin_key|client|login|signature|token)\./.test(name));
		assert.deepEqual(documented, [...REFUSAL_REASONS]);
	});
});
