// Pages of other origins at a gate (CORS), and applications that have tokens of their own.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import {
	ask,
	BEHIND_PROXY,
	browserCookie,
	decisionOf,
	type KeyedGate,
	signedCall,
} from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const PAGE = "https://app.shop.example";
const RULES = [
	{ path: "/status", needs: "public" },
	{ methods: ["GET", "PUT"], path: "/orders/*", needs: "orders:read" },
];
const READABLE = [PAGE, "true", "Latchkey-Refusal, WWW-Authenticate", "Origin"];

describe("a gate with cors_origins", () => {
	const service = testService({ env: BEHIND_PROXY });
	const gate = fixture(
		async () => (await addGate(service, { rules: RULES, cors_origins: [PAGE] })) as KeyedGate,
	);
	const asks = (
		method: string,
		headers: Record<string, string>,
		target = "/orders/1",
		own: KeyedGate = gate,
	) => ask(service, own, target, { method, headers });
	const readable = ({ headers }: Awaited<ReturnType<typeof asks>>) => [
		headers["access-control-allow-origin"],
		headers["access-control-allow-credentials"],
		headers["access-control-expose-headers"],
		headers.vary,
	];

	it("lets a preflight pass for a method and path that has a rule", async () => {
		const headers = {
			origin: PAGE,
			"access-control-request-method": "PUT",
			"access-control-request-headers": "authorization,content-type",
		};
		const passed = await asks("OPTIONS", headers);
		assert.equal(passed.outcome, "200 public");
		assert.deepEqual(readable(passed), READABLE);
		assert.equal(passed.headers["access-control-allow-methods"], "PUT");
		assert.equal(passed.headers["access-control-allow-headers"], "authorization,content-type");
		assert.equal(passed.headers["access-control-max-age"], "600");
		for (const [changed, target] of [
			[{ ...headers, "access-control-request-method": "DELETE" }, "/orders/1"],
			[{ ...headers, origin: "https://evil.example" }, "/orders/1"],
			[{ ...headers, origin: "null" }, "/orders/1"],
			[{ ...headers, origin: `${PAGE}:8443` }, "/orders/1"],
			[{ origin: PAGE }, "/orders/1"],
			[headers, "/nowhere"],
		] as const)
			assert.equal(
				(await asks("OPTIONS", changed, target)).outcome,
				"403 gate.no_rule",
				JSON.stringify(changed),
			);
		assert.equal((await asks("OPTIONS", headers, "/orders/%2e%2e/x")).outcome, "400 gate.path");
		// Only a proxy that asks for it gets another status.
		const asked = await service.call("GET", `/gate/${gate.application_id}?preflight=1`, {
			headers: {
				"x-gate-key": gate.gate_key,
				"x-original-method": "OPTIONS",
				"x-original-uri": "/orders/1",
				...headers,
			},
		});
		assert.deepEqual([asked.status, asked.headers["latchkey-status"]], [403, "204"]);
		assert.equal(asked.headers["access-control-allow-methods"], "PUT");
	});

	it("lets its pages read refusals and responses, and no others", async () => {
		const refused = await asks("GET", { origin: PAGE });
		assert.equal(refused.outcome, "401 token.missing");
		assert.deepEqual(readable(refused), READABLE);
		assert.deepEqual(readable(await asks("GET", { origin: PAGE }, "/status")), READABLE);
		for (const origin of ["https://evil.example", "null", `${PAGE}/`, PAGE.toUpperCase()])
			assert.deepEqual(readable(await asks("GET", { origin })), [undefined, undefined, undefined, undefined]);
	});

	it("does not let its pages write with a cookie", async () => {
		const { id } = await addApplication(service);
		await addRole(service, id, "reader", ["orders:read"]);
		const own = (await addGate(service, { rules: RULES, cors_origins: [PAGE] }, id)) as KeyedGate;
		const ada = await addPerson(service, "ada");
		await putGrant(service, id, ada.id, ["reader"]);
		const headers = { origin: PAGE, cookie: await browserCookie(service, ada) };
		assert.equal((await asks("GET", headers, "/orders/1", own)).outcome, `200 person:${ada.id}`);
		const written = await asks("PUT", headers, "/orders/1", own);
		assert.equal(written.outcome, "403 gate.origin");
		assert.deepEqual(readable(written), READABLE);
	});

	it("takes at most 20 exact https origins", async () => {
		const { id } = await addApplication(service);
		const put = async (cors_origins: readonly string[]) => {
			const { status, body } = await service.callAsAdmin("PUT", `${APPLICATIONS}/${id}/gate`, {
				body: { rules: [], cors_origins },
				headers: { accept: "application/problem+json" },
			});
			return [status, JSON.stringify(body)] as const;
		};
		for (const origin of [
			"null",
			"*",
			"http://a.example",
			"https://a.example/",
			"https://A.example",
			"https://*.a.example",
		]) {
			const [status, text] = await put([PAGE, origin]);
			assert.deepEqual([status, text.includes("cors_origins.1")], [400, true], origin);
		}
		const many = Array.from({ length: 21 }, (_, index) => `https://a${index}.example`);
		assert.equal((await put(many))[0], 400);
		assert.equal((await put(many.slice(1)))[0], 201);
	});
});

describe("a gate with own_tokens", () => {
	const service = testService({ env: BEHIND_PROXY });
	const api = fixture(async () => {
		const { id } = await addApplication(service);
		await addRole(service, id, "reader", ["orders:read"]);
		const gate = (await addGate(service, { rules: RULES, own_tokens: true }, id)) as KeyedGate;
		const partner = await addApiClient(service, { app_id: id });
		await service.asAdmin("PUT", `${APPLICATIONS}/${id}/grants/api-clients/${partner.id}`, {
			roles: ["reader"],
		});
		const ada = await addPerson(service, "ada");
		await putGrant(service, id, ada.id, ["reader"]);
		return { id, gate, partner, ada, cookie: await browserCookie(service, ada) };
	});
	const outcome = async (headers: Record<string, string>, target = "/orders/1") =>
		(await ask(service, api.gate, target, { headers })).outcome;
	const foreign = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"iss":"https://other.example"}').toString("base64url")}.x`;

	it("leaves Authorization to the application", async () => {
		for (const authorization of [
			"Bearer application-token",
			`Bearer ${foreign}`,
			"Basic YTpi",
			"token x",
			"",
		]) {
			assert.equal(await outcome({ authorization }), "401 token.missing");
			assert.equal(await outcome({ authorization, cookie: api.cookie }), `200 person:${api.ada.id}`);
			const signed = signedCall(service, api.partner, "/orders/1");
			assert.equal(await outcome({ ...signed, authorization }), `200 partner:${api.partner.id}`);
			assert.equal(await outcome({ authorization }, "/status"), "200 public");
		}
	});

	it("refuses a token of this service before anything, also at a public path", async () => {
		const session = await service.adminToken();
		const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
		for (const authorization of [
			`Bearer ${session}`,
			`bearer  ${session}`,
			`Token ${session}`,
			session,
			basic(`git:${session}`),
			basic(`${session}:`),
			"Bearer lk_0123456789",
			"Bearer gk_0123456789",
			"Bearer lss_0123456789",
			basic("x:ocs_0123456789"),
		])
			for (const target of ["/status", "/orders/1", "/nowhere", "/a/.."])
				assert.equal(
					await outcome({ authorization, cookie: api.cookie }, target),
					"401 token.invalid",
					authorization,
				);
	});

	it("accepts no program", async () => {
		const { accept, own_tokens } = await service.asAdmin("GET", `${APPLICATIONS}/${api.id}/gate`);
		assert.deepEqual([accept, own_tokens], [["partner", "person"], true]);
		const verified = await service.call("POST", `/gate/${api.id}/verify`, {
			headers: { "x-gate-key": api.gate.gate_key },
			body: {
				method: "GET",
				target: "/orders/1",
				scheme: "https",
				ip: "203.0.113.7",
				headers: { authorization: "Bearer application-token" },
			},
		});
		assert.equal(decisionOf(verified).outcome, "401 token.missing");
	});
});
