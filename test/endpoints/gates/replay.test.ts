// What a draft of a gate would change for recent requests: the refusals that are stored, and a sample in memory.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	problemOf,
	putGrant,
} from "../../harness/access/applications.ts";
import {
	ask,
	BEHIND_PROXY,
	browserCookie,
	type KeyedGate,
	signedCall,
} from "../../harness/access/gate-calls.ts";
import { addGate } from "../../harness/access/gates.ts";
import { TEST_ENGINE } from "../../harness/databases/test-engine.ts";
import { addPerson } from "../../harness/people/people.ts";
import { testService } from "../../harness/runs/fixture.ts";
import { eventually } from "../../harness/webhooks/webhooks.ts";

const OWN_ORIGIN = "https://localhost:8443";
const RULES = [
	{ path: "/status", needs: "public" },
	{ methods: ["GET"], path: "/orders/*", needs: "orders:read" },
	{ methods: ["POST"], path: "/orders/*", needs: "orders:write" },
];
const replayPath = (id: string) => `${APPLICATIONS}/${id}/gate/replay` as const;
const passed = (rule: number) => ({ allowed: true, code: null, rule });
const refused = (code: string, rule: number) => ({ allowed: false, code, rule });

describe("POST /api/v1/applications/{id}/gate/replay", () => {
	const service = testService({ env: BEHIND_PROXY });
	const replay = (id: string, draft: object) => service.asAdmin("POST", replayPath(id), { draft });

	/** With a person and a partner that may read. */
	async function addOrders() {
		const { id } = await addApplication(service, { access_policy: "assigned" });
		await addRole(service, id, "reader", ["orders:read"]);
		await addRole(service, id, "writer", ["orders:write"]);
		const gate = (await addGate(service, { rules: RULES }, id)) as KeyedGate;
		const reader = await addPerson(service, `replay-${id.slice(-12)}`);
		await putGrant(service, id, reader.id, ["reader"]);
		const cookie = await browserCookie(service, reader);
		const partner = await addApiClient(service, { app_id: id, name: "Till" });
		const granted = `${APPLICATIONS}/${id}/grants/api-clients/${partner.id}`;
		await service.asAdmin("PUT", granted, { roles: ["reader"] });
		const asPerson = { headers: { cookie, origin: OWN_ORIGIN } };
		const asPartner = (target: string) => ({ headers: signedCall(service, partner, target) });
		return { id, gate, reader, asPerson, asPartner };
	}

	/** A second after the last, so that the request is in the sample. */
	async function pass(gate: KeyedGate, target: string, how?: () => Parameters<typeof ask>[3]): Promise<void> {
		service.clock.advance(1_000);
		assert.equal((await ask(service, gate, target, how?.())).status, 200, target);
	}

	describe("200", () => {
		it("names the allowed requests that the draft refuses, with the rule that decides", async () => {
			const { id, gate, asPerson, asPartner } = await addOrders();
			await pass(gate, "/status?token=hidden");
			await pass(gate, "/orders/1?secret=hidden", () => asPerson);
			await pass(gate, "/orders/1?secret=other", () => asPerson);
			await pass(gate, "/orders/2?key=hidden", () => asPartner("/orders/2?key=hidden"));
			assert.deepEqual(await replay(id, { rules: RULES }), {
				refusals: 0,
				sampled: 4,
				same: 4,
				now_refused: 0,
				now_allowed: 0,
				changes: [],
			});
			const rules = [
				{ path: "/status", needs: "signed-in" },
				{ path: "/orders/2", needs: "orders:read", mfa: true },
				{ path: "/orders/*", needs: "orders:write" },
			];
			const { changes, ...counts } = await replay(id, { rules, accept: ["person"] });
			assert.deepEqual(counts, { refusals: 0, sampled: 4, same: 0, now_refused: 4, now_allowed: 0 });
			const get = { method: "GET", before: passed(1), count: 1 };
			const denied = refused("application.access_denied", 2);
			assert.deepEqual(changes, [
				{ ...get, path: "/orders/2", caller: "partner", after: refused("gate.caller_kind", 1) },
				{ ...get, path: "/orders/1", caller: "person", count: 2, after: denied },
				{
					...get,
					path: "/status",
					caller: "public",
					before: passed(0),
					after: refused("token.missing", 0),
				},
			]);
		});

		it("knows whether the sign-in had a second factor", async () => {
			const { id, gate, asPerson } = await addOrders();
			await pass(gate, "/orders/1", () => asPerson);
			const { changes } = await replay(id, { rules: [{ path: "/*", needs: "signed-in", mfa: true }] });
			assert.equal(changes[0]?.after.code, "mfa.required");
		});

		it("names the refusals that the draft lets pass, by the roles that are stored now", async () => {
			const { id, gate, reader, asPerson, asPartner } = await addOrders();
			const asked = [
				["/unknown", {}, "gate.no_rule"],
				["/orders/1", {}, "token.missing"],
				["/orders/1", { ...asPerson, method: "POST" }, "application.access_denied"],
				["/orders/9", asPartner("/orders/8"), "signature.invalid"],
			] as const;
			for (const [target, how, code] of asked)
				assert.equal((await ask(service, gate, target, how)).headers["latchkey-refusal"], code);
			await eventually(
				() => service.asAdmin("GET", `/api/v1/refusals?application_id=${id}&subject=gate`),
				(refusals) => refusals.length === asked.length,
			);
			const changesBy = async (rules: readonly object[]) => {
				const { refusals, changes } = await replay(id, { rules });
				assert.equal(refusals, asked.length);
				return changes.map(({ path, caller, before, after }) => [path, caller, before.code, after]);
			};
			assert.deepEqual(await changesBy([{ path: "/unknown", needs: "signed-in" }, ...RULES]), []);
			const opened = ["/unknown", "-", "gate.no_rule", passed(3)];
			assert.deepEqual(await changesBy([...RULES, { path: "/unknown", needs: "public" }]), [opened]);
			// The caller is known and may read. A wrong signature stays wrong.
			const forReaders = [{ path: "/orders/*", needs: "orders:read" }];
			const written = ["/orders/1", `person:${reader.id}`, "application.access_denied", passed(0)];
			assert.deepEqual(await changesBy(forReaders), [written]);
			await service.asAdmin("DELETE", `${APPLICATIONS}/${id}/grants/users/${reader.id}`);
			assert.deepEqual(await changesBy(forReaders), []);
		});

		it("keeps neither query nor caller, and writes the sample nowhere", async () => {
			const { id, gate, reader, asPerson } = await addOrders();
			await pass(gate, "/orders/sampled-marker?token=query-marker", () => asPerson);
			const text = JSON.stringify(await replay(id, { rules: [] }));
			assert.match(text, /sampled-marker/);
			for (const hidden of ["query-marker", reader.id, reader.username, "203.0.113.7"])
				assert.ok(!text.includes(hidden), hidden);
			assert.ok(!service.logs().includes("sampled-marker"));
			if (TEST_ENGINE !== "sqlite") return;
			const files = readdirSync(service.dataDir, { recursive: true, withFileTypes: true });
			for (const { name, parentPath } of files.filter((file) => file.isFile()))
				assert.ok(!readFileSync(join(parentPath, name)).includes("sampled-marker"), name);
		});

		it("keeps no sample with LATCHKEY_GATE_SAMPLE=off", async () => {
			const { id, gate, asPerson } = await addOrders();
			await pass(gate, "/orders/1", () => asPerson);
			assert.equal((await replay(id, { rules: [] })).sampled, 1);
			const other = await offService.asAdmin("POST", APPLICATIONS, { name: "Off" });
			const gateOff = (await addGate(offService, { rules: RULES.slice(0, 1) }, other.id)) as KeyedGate;
			assert.equal((await ask(offService, gateOff, "/status")).status, 200);
			const { sampled } = await offService.asAdmin("POST", replayPath(other.id), { draft: { rules: [] } });
			assert.equal(sampled, 0);
		});
		const offService = testService({ env: { ...BEHIND_PROXY, LATCHKEY_GATE_SAMPLE: "off" } });
	});

	describe("400", () => {
		it("refuses a draft that the gate would not take", async () => {
			const { id } = await addOrders();
			const draft = { rules: [{ path: "/orders/../x", needs: "orders:none" }] };
			const { status, fields } = await problemOf(service, "POST", replayPath(id), { draft });
			assert.deepEqual([status, fields], [400, ["draft.rules.0.path", "draft.rules.0.needs"]]);
		});
	});
});
