// The gate of an application, as administrators manage it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGateStore } from "../../../src/adapters/stores/gate-store.ts";
import { matchesDigest } from "../../../src/crypto/digest.ts";
import { liveGateKeys } from "../../../src/domain/gate.ts";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApiClient,
	addApplication,
	addCast,
	addRole,
	problemOf,
	putGrant,
} from "../../harness/access/applications.ts";
import { addGate } from "../../harness/access/gates.ts";
import { auditOf } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const service = testService();
const cast = fixture(() => addCast(service));

const path = (id: string) => `${APPLICATIONS}/${id}/gate` as const;
const put = (id: string, body: unknown) => service.callAsAdmin("PUT", path(id), { body });

/** With a role that holds what the rules of these tests need. */
async function addOrders(): Promise<string> {
	const { id } = await addApplication(service);
	await addRole(service, id, "reader", ["orders:read"]);
	return id;
}

/** Which of the keys the gate accepts now. */
async function liveKeys(applicationId: string, keys: readonly string[]): Promise<boolean[]> {
	await using engine = await service.openDatabase();
	const gate = await createGateStore(engine.queries).findAsked(applicationId);
	const digests = gate === undefined ? [] : liveGateKeys(gate, service.clock.now());
	return keys.map((key) => matchesDigest(key, digests));
}

describe("PUT /api/v1/applications/{id}/gate", () => {
	const RULES = [
		{ path: "/status", needs: "public" },
		{ methods: ["GET"], path: "/orders/{id}", needs: "orders:read" },
		{ path: "/*", needs: "signed-in", mfa: true, test: true },
	];

	describe("201", () => {
		it("creates a gate with its defaults, and returns the key once", async () => {
			const id = await addOrders();
			const { status, body } = await put(id, { rules: RULES });
			const { gate_key, created_at, ...gate } = body.data;
			assert.equal(status, 201);
			assert.match(gate_key ?? "", /^gk_[A-Za-z0-9_-]{43}$/);
			assert.deepEqual(gate, {
				application_id: id,
				rules: RULES,
				accept: ["partner", "person", "program"],
				browser_origin: null,
				statement: false,
				own_tokens: false,
				cors_origins: [],
				key_hint: gate_key?.slice(-4),
				previous_key_expires_at: null,
				updated_at: created_at,
			});
			assert.deepEqual(await liveKeys(id, [gate_key ?? "", "gk_other"]), [true, false]);
			const [event] = await auditOf(service, `gate:${id}`);
			assert.deepEqual([event?.action, event?.details.rules], ["gate.created", 3]);
			assert.ok(!JSON.stringify(event).includes(gate_key ?? "?"));
		});

		it("creates one gate of ten concurrent requests", async () => {
			const { id } = await addApplication(service);
			const answers = await Promise.all(Array.from({ length: 10 }, () => put(id, { rules: [] })));
			const statuses = answers.map(({ status }) => status).sort();
			assert.deepEqual(statuses, [...Array<number>(9).fill(200), 201]);
			const keys = answers.flatMap(({ body }) => body.data.gate_key ?? []);
			assert.deepEqual(await liveKeys(id, keys), [true]);
		});
	});

	describe("200", () => {
		it("replaces the settings without a key, and changes nothing the second time", async () => {
			const id = await addOrders();
			const created = (await put(id, { rules: RULES })).body.data;
			service.clock.advance(1_000);
			const body = {
				rules: [],
				accept: ["program", "partner"],
				browser_origin: "https://shop.example",
				statement: true,
			};
			const changed = await put(id, body);
			assert.equal(changed.status, 200);
			assert.ok(!("gate_key" in changed.body.data));
			const { accept, browser_origin, statement, updated_at } = changed.body.data;
			assert.deepEqual(
				[accept, browser_origin, statement],
				[["partner", "program"], "https://shop.example", true],
			);
			assert.ok(updated_at > created.updated_at);
			service.clock.advance(1_000);
			assert.deepEqual((await put(id, body)).body, changed.body);
			const reset = (await put(id, { rules: [] })).body.data;
			assert.deepEqual([reset.accept.length, reset.browser_origin, reset.statement], [3, null, false]);
			assert.deepEqual(
				(await auditOf(service, `gate:${id}`)).map(({ action }) => action),
				["gate.created", "gate.updated", "gate.updated"],
			);
		});
	});

	describe("400", () => {
		const cases: readonly (readonly [why: string, body: object, field: string])[] = [
			["a path with a dot segment", { rules: [{ path: "/a/../b", needs: "public" }] }, "rules.0.path"],
			["a path with * in the middle", { rules: [{ path: "/*/b", needs: "public" }] }, "rules.0.path"],
			["a permission with *", { rules: [{ path: "/", needs: "orders:*" }] }, "rules.0.needs"],
			[
				"a method in lower case",
				{ rules: [{ path: "/", needs: "public", methods: ["get"] }] },
				"rules.0.methods.0",
			],
			["an origin with a path", { rules: [], browser_origin: "https://shop.example/" }, "browser_origin"],
			["an origin in upper case", { rules: [], browser_origin: "https://Shop.example" }, "browser_origin"],
			["an origin without TLS", { rules: [], browser_origin: "http://shop.example" }, "browser_origin"],
		];
		for (const [why, body, field] of cases)
			it(`refuses ${why}`, async () => {
				const { id } = await addApplication(service);
				const refused = await problemOf(service, "PUT", path(id), body);
				assert.deepEqual([refused.status, refused.fields], [400, [field]]);
				assert.equal((await problemOf(service, "GET", path(id))).code, "gate.not_found");
			});

		it("refuses a permission that no role of the application holds", async () => {
			const rule = (needs: string) => ({ path: "/*", needs });
			const { id } = await addApplication(service);
			await addRole(service, (await addApplication(service)).id, "foreign", ["orders:read"]);
			const rules = [rule("signed-in"), rule("orders:read"), rule("orders:write")];
			const refused = await problemOf(service, "PUT", path(id), { rules });
			assert.deepEqual([refused.status, refused.fields], [400, ["rules.1.needs", "rules.2.needs"]]);
			assert.match(refused.messages[0] ?? "", /is held by no role of the application/);
			await addRole(service, id, "reader", ["orders:read"]);
			assert.deepEqual((await problemOf(service, "PUT", path(id), { rules })).fields, ["rules.2.needs"]);
			await addRole(service, id, "writer", ["orders:*"]);
			assert.equal((await put(id, { rules })).status, 201);
		});
	});

	describe("409", () => {
		it("refuses the browser origin of another gate of the tenant", async () => {
			const browser_origin = "https://taken.example";
			await addGate(service, { browser_origin });
			const second = await addApplication(service);
			for (const state of ["new", "existing"]) {
				const refused = await problemOf(service, "PUT", path(second.id), { rules: [], browser_origin });
				assert.deepEqual(
					[state, refused.status, refused.code, refused.fields],
					[state, 409, "gate.origin_taken", ["browser_origin"]],
				);
				if (state === "new") await addGate(service, {}, second.id);
			}
		});
	});
});

describe("GET /api/v1/applications/{id}/gate", () => {
	describe("200", () => {
		it("returns the gate without its key", async () => {
			const { gate_key: _, ...gate } = await addGate(service, { rules: [{ path: "/*", needs: "public" }] });
			const { status, body } = await service.call("GET", path(gate.application_id), {
				token: cast.auditor.token,
			});
			assert.deepEqual([status, body.data], [200, gate]);
		});
	});
});

describe("DELETE /api/v1/applications/{id}/gate", () => {
	describe("204", () => {
		it("removes the gate and its key", async () => {
			const { application_id: id, gate_key = "" } = await addGate(service);
			const { status } = await service.callAsAdmin("DELETE", path(id));
			assert.equal(status, 204);
			assert.deepEqual(await liveKeys(id, [gate_key]), [false]);
			assert.equal((await auditOf(service, `gate:${id}`)).at(-1)?.action, "gate.removed");
		});
	});
});

describe("POST /api/v1/applications/{id}/gate/regenerate-key", () => {
	const regenerate = (id: string, body: object = {}) =>
		service.callAsAdmin("POST", `${APPLICATIONS}/${id}/gate/regenerate-key`, { body });

	describe("200", () => {
		it("replaces the key at once, or after an overlap, and never keeps more than two", async () => {
			const { application_id: id, gate_key: first = "" } = await addGate(service);
			const { status, body } = await regenerate(id, { overlap_seconds: 60 });
			const second = body.data.gate_key ?? "";
			assert.equal(status, 200);
			const { previous_key_expires_at: until, updated_at } = body.data;
			assert.equal(Date.parse(until ?? "") - Date.parse(updated_at), 60_000);
			assert.deepEqual(await liveKeys(id, [first, second]), [true, true]);
			const third = (await regenerate(id, { overlap_seconds: 60 })).body.data.gate_key ?? "";
			assert.deepEqual(await liveKeys(id, [first, second, third]), [false, true, true]);
			service.clock.advance(60_000);
			assert.deepEqual(await liveKeys(id, [second, third]), [false, true]);
			const fourth = (await regenerate(id)).body.data.gate_key ?? "";
			assert.deepEqual(await liveKeys(id, [third, fourth]), [false, true]);
			assert.equal((await auditOf(service, `gate:${id}`)).at(-1)?.action, "gate.key_regenerated");
		});
	});
});

describe("POST /api/v1/applications/{id}/gate/explain", () => {
	const RULES = [
		{ path: "/status", needs: "public" },
		{ methods: ["GET"], path: "/orders/*", needs: "orders:read" },
		{ path: "/me", needs: "signed-in" },
	];
	const explain = async (id: string, body: object) => {
		const answer = await service.call("POST", `${APPLICATIONS}/${id}/gate/explain`, {
			token: cast.auditor.token,
			body: { method: "GET", ...body },
		});
		assert.equal(answer.status, 200);
		const { message: _, ...rest } = answer.body.data;
		return rest;
	};
	const gate = fixture(async () => {
		const created = await addGate(service, { rules: RULES });
		await addRole(service, created.application_id, "reader", ["orders:*"]);
		return created;
	});

	describe("200", () => {
		it("decides by the settings of a draft, and stores none of them", async () => {
			const id = gate.application_id;
			const decided = async (draft: object) => {
				const { allowed, code, rule } = await explain(id, { target: "/orders/1", draft });
				return [allowed, code, rule];
			};
			const open = { path: "/orders/*", needs: "public" };
			assert.deepEqual(await decided({ rules: [{ path: "/x", needs: "public" }, open] }), [true, null, 1]);
			assert.deepEqual(await decided({ rules: [] }), [false, "gate.no_rule", null]);
			const { rules } = await service.asAdmin("GET", `${APPLICATIONS}/${id}/gate`);
			assert.deepEqual(rules, RULES);
		});

		it("names the rule, the decision, and the reason", async () => {
			const id = gate.application_id;
			const person = `person:${cast.plain.id}`;
			assert.deepEqual(await explain(id, { target: "/status?x" }), {
				allowed: true,
				code: null,
				reason: null,
				rule: 0,
				caller: null,
				permissions: [],
			});
			assert.deepEqual(await explain(id, { target: "/orders/1", caller: person }), {
				allowed: false,
				code: "application.access_denied",
				reason: "not_assigned",
				rule: 1,
				caller: person,
				permissions: [],
			});
			await putGrant(service, id, cast.plain.id, ["reader"]);
			assert.deepEqual(await explain(id, { target: "/orders/1", caller: person }), {
				allowed: true,
				code: null,
				reason: "ok",
				rule: 1,
				caller: person,
				permissions: ["orders:*"],
			});
		});

		it("refuses anonymous callers, other methods, hostile targets, and strangers, as the gate does", async () => {
			const id = gate.application_id;
			const codes = [
				{ target: "/me" },
				{ target: "/orders/1", method: "POST", caller: `person:${cast.plain.id}` },
				{ target: "/orders/..%2f1" },
				{ target: "/me", caller: `partner:${ABSENT_ID}` },
			].map(async (body) => (await explain(id, body)).code);
			assert.deepEqual(await Promise.all(codes), [
				"token.missing",
				"gate.no_rule",
				"gate.path",
				"application.access_denied",
			]);
		});

		it("decides on partners by their grants and the client's own status", async () => {
			const id = gate.application_id;
			const client = await addApiClient(service, { app_id: id });
			const caller = `partner:${client.id}`;
			assert.equal((await explain(id, { target: "/orders/1", caller })).reason, "not_assigned");
			const grant = `${APPLICATIONS}/${id}/grants/api-clients/${client.id}`;
			await service.asAdmin("PUT", grant, { roles: ["reader"] });
			assert.equal((await explain(id, { target: "/orders/1", caller })).allowed, true);
			await service.asAdmin("PATCH", `/api/v1/api-clients/${client.id}`, { status: "disabled" });
			assert.equal((await explain(id, { target: "/orders/1", caller })).reason, "user_disabled");
		});

		it("reports that no caller can pass a rule whose permission no role holds any longer", async () => {
			const { id } = await addApplication(service, { access_policy: "open" });
			const role = await addRole(service, id, "reader", ["orders:read"]);
			await addGate(service, { rules: RULES }, id);
			const caller = `person:${cast.plain.id}`;
			const messageOf = async () => {
				const body = { method: "GET", target: "/orders/1", caller };
				const { code, message } = await service.asAdmin("POST", `${path(id)}/explain`, body);
				assert.equal(code, "application.access_denied");
				return message;
			};
			assert.equal(await messageOf(), "the caller may not do this here (missing_permission)");
			await service.asAdmin("DELETE", `${APPLICATIONS}/${id}/roles/${role.id}`);
			assert.equal(
				await messageOf(),
				"no caller passes this rule: no role of the application holds orders:read",
			);
		});
	});

	describe("400", () => {
		it("names the invalid field", async () => {
			for (const [body, field] of [
				[{ method: "get", target: "/" }, "method"],
				[{ method: "GET", target: "/", caller: "robot:1" }, "caller"],
				[{ method: "GET", target: "/", caller: "person:1" }, "caller"],
			] as const) {
				const refused = await problemOf(service, "POST", `${path(gate.application_id)}/explain`, body);
				assert.deepEqual([refused.status, refused.fields], [400, [field]]);
			}
		});
	});
});
