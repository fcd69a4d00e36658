// What a middleware asks a gate with `verify`, and the limits of gates.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ABSENT_ID, APPLICATIONS, addApiClient, addRole } from "../harness/access/applications.ts";
import {
	ask,
	BEHIND_PROXY,
	contentDigest,
	decisionOf,
	type KeyedGate,
	sha256,
	signedCall,
} from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { addKeyClient, newKey } from "../harness/access/partner-keys.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { metricsOf } from "../harness/service/metrics.ts";
import { type Credentials, startTestService, type TestService } from "../harness/service/service.ts";

/** The address that `ask` names by default. */
const VISITOR = "203.0.113.7";
const RULES = [
	{ path: "/status", needs: "public" },
	{ path: "/orders/*", needs: "orders:write" },
];

async function shop(service: TestService) {
	const gate = (await addGate(service, { rules: RULES })) as KeyedGate;
	const id = gate.application_id;
	await addRole(service, id, "writer", ["orders:*"]);
	const partner = await addApiClient(service, { app_id: id, name: "Buyer" });
	await service.asAdmin("PUT", `${APPLICATIONS}/${id}/grants/api-clients/${partner.id}`, {
		roles: ["writer"],
	});
	return { gate, partner, id };
}

describe("POST /gate/{application_id}/verify, asked by a middleware", () => {
	const service = testService();
	const api = fixture(() => shop(service));

	const verify = async (body: unknown, key = api.gate.gate_key) =>
		decisionOf(
			await service.call("POST", `/gate/${api.id}/verify`, { body, headers: { "x-gate-key": key } }),
		);
	const asked = (target: string, more: object = {}) => ({
		method: "GET",
		target,
		scheme: "https",
		ip: "203.0.113.7",
		headers: {},
		...more,
	});

	it("returns the caller, its permissions, and the rule", async () => {
		const passed = await verify(
			asked("/orders/1", { headers: signedCall(service, api.partner, "/orders/1") }),
		);
		assert.deepEqual(passed.body, {
			data: {
				allowed: true,
				caller: { kind: "partner", id: api.partner.id, name: "Buyer", through: null },
				permissions: ["orders:*"],
				rule: 1,
			},
		});
		assert.equal(passed.headers["latchkey-caller"], `partner:${api.partner.id}`);
		const open = await verify(asked("/status"));
		assert.deepEqual(open.body, {
			data: {
				allowed: true,
				caller: { kind: "public", id: null, name: "", through: null },
				permissions: [],
				rule: 0,
			},
		});
	});

	it("verifies the signature over the digest that the middleware computed", async () => {
		const body = "order";
		const headers = () => {
			const { "content-digest": _, ...signed } = signedCall(service, api.partner, "/orders/1", {
				method: "POST",
				body,
			});
			return signed;
		};
		const post = (more: object) =>
			verify(asked("/orders/1", { method: "POST", headers: headers(), ...more }));
		assert.equal((await post({ body_sha256: sha256(body) })).outcome, `200 partner:${api.partner.id}`);
		assert.equal((await post({ body_sha256: sha256("other") })).outcome, "401 signature.invalid");
		assert.equal((await post({})).outcome, "401 gate.body_unbound");
		const disagreeing = { ...headers(), "content-digest": contentDigest("other") };
		assert.equal(
			(await post({ headers: disagreeing, body_sha256: sha256(body) })).outcome,
			"401 gate.body_unbound",
		);
		const get = (declared: string, more: object = {}) =>
			verify(
				asked("/orders/1", {
					headers: {
						...signedCall(service, api.partner, "/orders/1"),
						"content-digest": contentDigest(declared),
					},
					...more,
				}),
			);
		assert.equal((await get("")).outcome, `200 partner:${api.partner.id}`);
		assert.equal((await get("", { body_sha256: sha256("") })).outcome, `200 partner:${api.partner.id}`);
		for (const more of [{}, { method: "HEAD" }, { body_sha256: sha256("") }])
			assert.equal((await get("other", more)).outcome, "401 gate.body_unbound", JSON.stringify(more));
		const declared = { ...headers(), "content-digest": contentDigest(body) };
		assert.equal((await post({ headers: declared })).outcome, "401 gate.body_unbound");
	});

	it("admits a partner that signs with a key, once, and refuses every other proof alike", async () => {
		const buyer = await addKeyClient(service, { app_id: api.id, name: "Key buyer" });
		await service.asAdmin("PUT", `${APPLICATIONS}/${api.id}/grants/api-clients/${buyer.id}`, {
			roles: ["writer"],
		});
		const passed = `200 partner:${buyer.id}`;
		const body = "order";
		const sign = (signer: Credentials) => {
			const { "content-digest": _, ...headers } = signedCall(service, signer, "/orders/1", {
				method: "POST",
				body,
			});
			return headers;
		};
		const post = async (headers: Readonly<Record<string, string>>, target = "/orders/1", sent = body) =>
			(await verify(asked(target, { method: "POST", headers, body_sha256: sha256(sent) }))).outcome;
		const accepted = sign(buyer);
		assert.deepEqual([await post(accepted), await post(accepted)], [passed, "401 nonce.reused"]);
		const { "x-signature": signature = "", ...others } = sign(buyer);
		const { privateKey } = newKey();
		for (const [name, outcome] of Object.entries({
			"another target": await post(sign(buyer), "/orders/2"),
			"another body": await post(sign(buyer), "/orders/1", "other"),
			"another key": await post(sign({ ...buyer, privateKey })),
			"an unknown client": await post(sign({ ...buyer, api_key: "ak_unknown0000000000000000" })),
			"a key for a Secret": await post(sign({ ...api.partner, privateKey })),
			truncated: await post({ ...others, "x-signature": signature.slice(0, 64) }),
		}))
			assert.equal(outcome, "401 signature.invalid", name);
		assert.equal(await post({ ...others, "x-signature": signature }), passed, "the nonce was kept");
		assert.equal(await post(sign(api.partner)), `200 partner:${api.partner.id}`);
	});

	it("refuses with the usual body and problem details", async () => {
		const refused = await verify(asked("/nowhere"));
		assert.deepEqual(
			[refused.outcome, refused.body],
			["403 gate.no_rule", { error: "no rule of the gate covers this request" }],
		);
		const { body } = await service.call<{ code: string }>("POST", `/gate/${api.id}/verify`, {
			body: asked("/nowhere"),
			headers: { "x-gate-key": api.gate.gate_key, accept: "application/problem+json" },
		});
		assert.equal(body.code, "gate.no_rule");
	});

	it("names what is wrong with a description", async () => {
		const cases: readonly (readonly [body: unknown, outcome: string])[] = [
			["{", "400 request.malformed"],
			[{}, "400 request.invalid"],
			[asked("/status", { scheme: "ftp" }), "400 request.invalid"],
			[asked("/status", { ip: "here" }), "400 request.invalid"],
			[asked("/status", { headers: { authorization: ["a", "b"] } }), "400 request.invalid"],
			[asked("/status", { headers: { "x-role": "admin" } }), "400 gate.request"],
			[asked("/status", { headers: { Cookie: "a=b" } }), "400 gate.request"],
			[asked("/status", { method: "get" }), "400 gate.request"],
			[asked("/status", { body_sha256: "00" }), "400 request.invalid"],
			[asked("status"), "400 gate.path"],
		];
		for (const [body, outcome] of cases)
			assert.equal((await verify(body)).outcome, outcome, JSON.stringify(body));
		assert.equal((await verify(asked("/status"), "gk_wrong")).outcome, "401 gate.key");
	});

	it("refuses the headers from which frameworks read another method or path", async () => {
		for (const name of [
			"x-http-method-override",
			"x-http-method",
			"x-method-override",
			"x-original-url",
			"x-rewrite-url",
		])
			for (const value of ["DELETE", "https://a.example/status", ""])
				assert.equal(
					(await verify(asked("/status", { headers: { [name]: value } }))).outcome,
					"400 gate.request",
				);
		const empty = { cookie: "", authorization: "", "x-signature": "", upgrade: "" };
		assert.equal((await verify(asked("/orders/1", { headers: empty }))).outcome, "401 token.missing");
	});

	it("takes scheme and address from the description, not from its own connection", async () => {
		const client = await addApiClient(service, { app_id: api.id, ip_allowlist: ["198.51.100.0/24"] });
		const post = (ip: string, scheme = "https") =>
			verify(asked("/orders/1", { ip, scheme, headers: signedCall(service, client, "/orders/1") }));
		assert.equal((await post("203.0.113.7")).outcome, "403 ip.not_allowed");
		assert.equal((await post("198.51.100.9")).outcome, "403 application.access_denied");
		assert.equal((await post("198.51.100.9", "http")).outcome, "426 transport.https_required");
	});
});

describe("the limits of gates", () => {
	const start = async (env: Record<string, string>, run: (service: TestService) => Promise<void>) => {
		const service = await startTestService({
			env: { ...BEHIND_PROXY, LATCHKEY_RATE_LIMIT_PER_MINUTE: "5", ...env },
			metrics: true,
		});
		try {
			await run(service);
		} finally {
			await service.stop();
		}
	};

	it("let public paths, valid proofs, and sign-ins pass at an address whose refusals exceed the limit", async () => {
		await start({ LATCHKEY_RATE_LIMIT_PER_MINUTE: "12" }, async (service) => {
			const { gate, partner } = await shop(service);
			const ip = "203.0.113.20";
			const asks = async (target: string, headers: Record<string, string> = {}) =>
				(await ask(service, gate, target, { ip, headers })).outcome;
			const signed = (client = partner) => signedCall(service, client, "/orders/1");
			for (let index = 0; index < 12; index++) assert.equal(await asks("/orders/1"), "401 token.missing");
			for (const target of ["/orders/1", "/nowhere", "/orders/../x"])
				assert.equal(await asks(target), "429 request.too_many", target);
			assert.equal(await asks("/status"), "200 public");
			assert.equal(await asks("/orders/1", signed()), `200 partner:${partner.id}`);
			assert.equal(await asks("/nowhere", signed()), "403 gate.no_rule");
		});
		await start({ LATCHKEY_RATE_LIMIT_PER_MINUTE: "5" }, async (service) => {
			const gate = await gateOf(service, { browser_origin: "https://shop.example" });
			for (let index = 0; index < 6; index++) await ask(service, gate, "/orders/1");
			assert.equal((await signIn(service, gate)).status, 303);
			for (let index = 0; index < 5; index++)
				assert.equal((await signIn(service, gate, "?to=//evil.example")).status, 400);
			assert.equal((await signIn(service, gate, "?to=//evil.example")).status, 429);
			assert.equal((await signIn(service, gate)).status, 303);
		});
	});

	it("count wrong proofs by the credential that they name", async () => {
		await start({ LATCHKEY_RATE_LIMIT_PER_MINUTE: "12" }, async (service) => {
			const { gate, partner } = await shop(service);
			const [ip, elsewhere] = ["203.0.113.21", "203.0.113.22"];
			const asks = async (headers: Record<string, string>, from = ip) =>
				(await ask(service, gate, "/orders/1", { ip: from, headers })).outcome;
			const ended = { cookie: "__Host-latchkey=ended" };
			for (let index = 0; index < 12; index++) assert.equal(await asks(ended), "401 session.ended");
			assert.equal(await asks(ended), "429 request.too_many");
			assert.equal(await asks(ended, elsewhere), "401 session.ended");
			assert.equal(await asks({ cookie: "__Host-latchkey=other" }), "401 session.ended");
			assert.equal(await asks({}), "401 token.missing");
			const broken = { authorization: "Bearer broken" };
			for (let index = 0; index < 12; index++) assert.equal(await asks(broken), "401 token.invalid");
			assert.equal(await asks(broken), "429 request.too_many");
			assert.equal(await asks({ authorization: "Bearer other" }), "401 token.invalid");
			const wrong = () => ({ ...signedCall(service, partner, "/orders/1"), "x-signature": "0".repeat(64) });
			for (let index = 0; index < 12; index++) assert.equal(await asks(wrong()), "401 signature.invalid");
			// Before the verification: the API key names the partner.
			const valid = signedCall(service, partner, "/orders/1");
			assert.equal(await asks(valid), "429 request.too_many");
			assert.equal(await asks(valid, elsewhere), `200 partner:${partner.id}`);
			assert.equal(await asks({ ...wrong(), "x-api-key": "ak_other" }), "401 signature.headers");
			service.clock.advance(61_000);
			assert.equal(await asks(signedCall(service, partner, "/orders/1")), `200 partner:${partner.id}`);
		});
	});

	it("never count a valid proof that a rule refuses", async () => {
		await start({ LATCHKEY_RATE_LIMIT_PER_MINUTE: "10" }, async (service) => {
			const gate = await gateOf(service, { accept: ["person"] });
			const client = await addApiClient(service, { app_id: gate.application_id, name: "Buyer" });
			for (let index = 0; index < 12; index++) {
				const headers = signedCall(service, client, "/orders/1");
				assert.equal((await ask(service, gate, "/orders/1", { headers })).outcome, "403 gate.caller_kind");
			}
		});
	});

	it("count refusals by the IP address of the caller, and other requests by gate", async () => {
		await start({ LATCHKEY_GATE_LIMIT_PER_MINUTE: "20" }, async (service) => {
			const gate = await gateOf(service);
			const outcomes = async (count: number, target: string, ip: string) => {
				const all = [];
				for (let index = 0; index < count; index++)
					all.push((await ask(service, gate, target, { ip })).outcome);
				return all;
			};
			assert.deepEqual(await outcomes(6, "/orders/1", "203.0.113.1"), [
				...Array<string>(5).fill("401 token.missing"),
				"429 request.too_many",
			]);
			const blocked = await ask(service, gate, "/orders/1", { ip: "203.0.113.1" });
			assert.equal(blocked.outcome, "429 request.too_many");
			assert.ok(Number(blocked.headers["retry-after"]) > 0);
			// A gate of another tenant must not be able to block the address here.
			const other = await gateOf(service);
			assert.equal(
				(await ask(service, other, "/orders/1", { ip: "203.0.113.1" })).outcome,
				"401 token.missing",
			);
			assert.deepEqual(await outcomes(13, "/status", "203.0.113.2"), Array<string>(13).fill("200 public"));
			assert.equal(
				(await ask(service, gate, "/status", { ip: "203.0.113.3" })).outcome,
				"429 request.too_many",
			);
			service.clock.advance(61_000);
			const later = await ask(service, gate, "/orders/1", { ip: "203.0.113.1" });
			assert.equal(later.outcome, "401 token.missing");
		});
	});

	it("refuse wrong keys of an address after ten, let the right key pass, and count decisions", async () => {
		await start({}, async (service) => {
			const gate = await gateOf(service);
			const wrong = { ...gate, gate_key: "gk_wrong" };
			for (let index = 0; index < 10; index++)
				assert.equal((await ask(service, wrong, "/status")).outcome, "401 gate.key");
			const blocked = await ask(service, wrong, "/status");
			assert.equal(blocked.outcome, "429 request.too_many");
			assert.ok(Number(blocked.headers["retry-after"]) > 0);
			assert.equal((await ask(service, gate, "/status")).outcome, "200 public", "the right key passes");
			assert.equal((await signIn(service, wrong)).status, 429);
			const elsewhere = await ask(service, wrong, "/status", { ip: "203.0.113.8" });
			assert.equal(elsewhere.outcome, "401 gate.key");
			const other = await gateOf(service);
			assert.equal((await ask(service, other, "/status")).outcome, "200 public");
			for (const application_id of [other.application_id, ABSENT_ID, "none"])
				assert.equal(
					(await ask(service, { application_id, gate_key: "gk_wrong" }, "/status")).outcome,
					"429 request.too_many",
				);
			const metrics = await metricsOf(service);
			const count = (labels: string) => metrics.get(`latchkey_gate_decisions_total{${labels}}`);
			assert.equal(count(`application="${gate.application_id}",kind="public",code="ok"`), 1);
			assert.equal(count('application="-",kind="none",code="gate.key"'), 11);
			assert.equal(metrics.get("latchkey_gate_decision_duration_seconds_count"), 17);
			service.clock.advance(61_000);
			assert.equal((await ask(service, wrong, "/status")).outcome, "401 gate.key");
		});
	});

	it("do not let a page lock out its visitors by embedding gate URLs as images", async () => {
		await start({}, async (service) => {
			const gate = await gateOf(service, { browser_origin: "https://shop.example" });
			const wrong = { ...gate, gate_key: "gk_wrong" };
			for (let image = 0; image < 10; image++) {
				const { status } = await service.call("GET", `/gate/${gate.application_id}`, {
					headers: { "x-forwarded-for": VISITOR },
				});
				assert.equal(status, 401);
			}
			assert.equal((await ask(service, wrong, "/status", { ip: VISITOR })).outcome, "429 request.too_many");
			assert.equal((await ask(service, gate, "/status", { ip: VISITOR })).outcome, "200 public");
			assert.equal((await signIn(service, gate)).status, 303);
		});
	});

	it("do not count a key in the query of a visitor as a wrong key of the proxy", async () => {
		await start({ LATCHKEY_RATE_LIMIT_PER_MINUTE: "100" }, async (service) => {
			const gate = await gateOf(service, { browser_origin: "https://shop.example" });
			const wrong = { ...gate, gate_key: "gk_wrong" };
			for (let image = 0; image < 11; image++)
				assert.equal((await signIn(service, gate, "?X-Gate-Key=1")).status, 400);
			assert.equal((await ask(service, gate, "/status", { ip: VISITOR })).outcome, "200 public");
			assert.equal((await signIn(service, gate)).status, 303);
			assert.equal((await ask(service, wrong, "/status", { ip: VISITOR })).outcome, "401 gate.key");
		});
	});
});

function gateOf(service: TestService, fields: object = {}): Promise<KeyedGate> {
	// No rule needs a role, because the administrator who would add it has the limit of an address, too.
	const rules = [
		{ path: "/status", needs: "public" },
		{ path: "/orders/*", needs: "signed-in" },
	];
	return addGate(service, { rules, ...fields }) as Promise<KeyedGate>;
}

/** What the proxy forwards when a visitor opens `/.latchkey/sign-in`. */
function signIn(service: TestService, { application_id, gate_key }: KeyedGate, query = "") {
	return service.call("GET", `/gate/${application_id}/browser/sign-in${query}`, {
		headers: { "x-gate-key": gate_key, "x-forwarded-for": VISITOR, "x-forwarded-proto": "https" },
	});
}
