import assert from "node:assert/strict";
import { it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { explainQueries } from "../../../test/harness/databases/explained-queries.ts";
import { userCiphers } from "../../crypto/user-ciphers.ts";
import { type AuditEvent, type AuditQuery, named } from "../../domain/audit.ts";
import { systemCaller, userCaller } from "../../domain/caller.ts";
import { chainHash } from "../../features/record/audit/chain.ts";
import { createAuditStore } from "./audit-store.ts";

const PAGE = { page: 1, pageSize: 20 };
const ORIGIN = { ip: "203.0.113.9", requestId: "r-1", userAgent: "", acceptLanguage: "" };

onEachEngine("the audit trail in SQL", (database) => {
	it("stores names of at most 200 characters, and changes of at most 4 KiB", async () => {
		const { tenantId } = database;
		const client = { actor: "api_client:u", actorName: "a".repeat(300) } as const;
		const caller = { ...systemCaller(tenantId, ORIGIN), ...client };
		const changes = { name: { from: "x", to: "y" }, all: { from: [], to: Array(20).fill("z".repeat(300)) } };
		await database.db.transaction(({ audit }) =>
			audit.append(caller, "group.updated", named("group", "g", "🔑".repeat(150)), {}, changes),
		);
		const [event] = (await database.db.stores.audit.list({ tenantId, target: "group:g" }, PAGE)).items;
		assert.equal(event?.actorName, `${"a".repeat(199)}…`);
		assert.equal(event.targetName, `${"🔑".repeat(99)}…`);
		assert.deepEqual(JSON.parse(event.changes), { name: changes.name });
		assert.equal(event.chainVersion, 3);
	});

	it("appends nothing outside a transaction, or in one that fails, and never twice", async () => {
		const { db } = database;
		const caller = systemCaller("appended", ORIGIN);
		await assert.rejects(
			db.stores.audit.append(caller, "user.updated", ""),
			/user\.updated was appended outside/,
		);
		const failing = db.transaction(async ({ audit }) => {
			await audit.append(caller, "user.updated", "");
			throw new Error("no");
		});
		await assert.rejects(failing, /^Error: no$/);
		const head = await db.transaction(async ({ audit }) => {
			await audit.append(caller, "user.created", "");
			await audit.append(caller, "user.updated", "");
			const head = await audit.findHead("appended");
			await audit.append(caller, "user.deleted", "");
			return head;
		});
		const { audit } = await db.transaction(async (stores) => stores);
		await assert.rejects(audit.append(caller, "user.updated", ""), /was appended outside/);
		const events = await db.stores.audit.listChain("appended", 0, 10);
		assert.deepEqual(
			events.map(({ sequence, action }) => [sequence, action]),
			[
				[1, "user.created"],
				[2, "user.updated"],
				[3, "user.deleted"],
			],
		);
		assert.deepEqual(
			[head?.sequence, head?.hash, events[2]?.hash],
			[2, events[1]?.hash, chainHash(head?.hash ?? "", events[2] as AuditEvent)],
		);
	});

	it("holds the end of the chain only while a transaction commits", async (t) => {
		const { db, engine } = database;
		if (engine.soleWriter) return t.skip("transactions of SQLite run one after the other");
		const trail = async () => (await db.stores.audit.listChain("held", 0, 10)).map(({ action }) => action);
		const caller = systemCaller("held", ORIGIN);
		for (const [slow, quick] of [
			["user.created", "user.updated"] as const,
			["user.deleted", "user.invited"] as const,
		])
			await db.transaction(async ({ audit }) => {
				await audit.append(caller, slow, "");
				await db.transaction((inner) => inner.audit.append(caller, quick, ""));
			});
		assert.deepEqual(await trail(), ["user.updated", "user.created", "user.invited", "user.deleted"]);
	});

	it("appends to several trails in one transaction, also against one that names them in another order", async () => {
		const { db } = database;
		const tenants = ["several-1", "several-2", "several-3"];
		const append = (order: readonly string[]) =>
			db.transaction(async ({ audit }) => {
				for (const tenantId of [...order, ...order])
					await audit.append(systemCaller(tenantId, ORIGIN), "user.updated", "");
			});
		await Promise.all(
			Array.from({ length: 20 }, (_, index) => append(index % 2 === 0 ? tenants : tenants.toReversed())),
		);
		for (const tenantId of tenants) {
			const events = await db.stores.audit.listChain(tenantId, 0, 100);
			assert.deepEqual(
				events.map(({ sequence }) => sequence),
				Array.from({ length: 40 }, (_, index) => index + 1),
			);
			for (const [index, event] of events.entries())
				assert.equal(event.hash, chainHash(events[index - 1]?.hash ?? "", event));
		}
	});

	it("keeps times in the order of the chain unless a clock differs by more than a second", async () => {
		const { clock, db } = database;
		const startMs = clock.now();
		for (const afterMs of [5_000, 4_000, 5_100, 4_099, 4_050]) {
			clock.advance(startMs + afterMs - clock.now());
			await db.transaction(({ audit }) => audit.append(systemCaller("skewed", ORIGIN), "user.updated", ""));
		}
		clock.advance(startMs - clock.now());
		const events = await db.stores.audit.listChain("skewed", 0, 10);
		const times = events.map(({ atMs }) => atMs - startMs);
		assert.deepEqual(times, [5_000, 5_000, 5_100, 4_099, 4_099]);
	});

	it("finds events by each single filter, and none of another tenant", async () => {
		const { tenantId } = database;
		const filters = {
			actor: "api_client:u",
			actorName: `${"a".repeat(199)}…`,
			target: "group:g",
			targetName: `${"🔑".repeat(99)}…`,
			requestId: "r-1",
			ip: "203.0.113.9",
		};
		for (const [name, value] of Object.entries(filters)) {
			const find = async (query: AuditQuery) => (await database.db.stores.audit.list(query, PAGE)).total;
			assert.equal(await find({ tenantId, [name]: value }), 1, name);
			assert.equal(await find({ tenantId, [name]: `${value}0` }), 0, name);
			assert.equal(await find({ tenantId: "another", [name]: value }), 0, name);
		}
	});

	it("lists a period by time, with each event on one page, even if the clock was set back", async () => {
		const { clock, db } = database;
		const tenantId = "timed";
		const caller = userCaller({ id: "u", tenantId, username: "u" }, ORIGIN);
		const startMs = clock.now();
		for (const step of [1_000, 1_000, 0, -1_500, 1_000, 5_000]) {
			clock.advance(step);
			await db.transaction(({ audit }) => audit.append(caller, "user.signed_in", ""));
		}
		const list = async (query: Omit<AuditQuery, "tenantId">, page: number) =>
			(await db.stores.audit.list({ tenantId, ...query }, { page, pageSize: 2 })).items.map(
				({ sequence }) => sequence,
			);
		const period = { fromMs: startMs + 600, toMs: startMs + 5_000 };
		const pages = [await list(period, 1), await list(period, 2), await list(period, 3)];
		assert.deepEqual(pages, [[3, 2], [5, 1], []]);
		assert.deepEqual(await list({ ...period, actions: ["user.signed_in"] }, 2), [5, 1]);
		assert.deepEqual(await list({ ...period, actions: ["user.signed_in", "user.updated"] }, 2), [5, 1]);
		assert.deepEqual(await list({ ...period, actor: "user:u" }, 1), [3, 2]);
		assert.deepEqual(await list({}, 1), [6, 3]);
		clock.advance(startMs - clock.now());
	});

	it("finds one event by its id, also after the clock went back", async () => {
		const { clock, db } = database;
		const tenantId = "one";
		const startMs = clock.now();
		const caller = userCaller({ id: "u", tenantId, username: "u" }, ORIGIN);
		for (const afterMs of [0, 5_000, -60_000]) {
			clock.advance(startMs + afterMs - clock.now());
			const id = await db.transaction(({ audit }) => audit.appendReturningId(caller, "user.updated", ""));
			const find = async (query: AuditQuery) => (await db.stores.audit.list(query, PAGE)).items;
			assert.deepEqual(
				(await find({ tenantId, id })).map((event) => event.id),
				[id],
			);
			assert.deepEqual(await find({ tenantId: "another", id }), []);
		}
		clock.advance(startMs - clock.now());
	});

	it("counts every event of a period, also after the clock went back", async () => {
		const { clock, db } = database;
		const tenantId = "set back";
		const startMs = clock.now();
		const caller = userCaller({ id: "u", tenantId, username: "u" }, ORIGIN);
		for (const afterMs of [2_000, 3_000, 500, 1_500, 2_500, 100]) {
			clock.advance(startMs + afterMs - clock.now());
			await db.transaction(({ audit }) => audit.append(caller, "user.updated", ""));
		}
		clock.advance(startMs - clock.now());
		const count = async (fromMs: number, toMs: number, max = 100) => {
			const period = { tenantId, fromMs: startMs + fromMs, toMs: startMs + toMs };
			const { totals, countedFromMs } = await db.stores.audit.count(period, 1_000, max);
			return [countedFromMs - startMs, [...totals.values()].reduce((sum, total) => sum + total, 0)];
		};
		assert.deepEqual(await count(0, 4_000), [0, 6]);
		assert.deepEqual(await count(0, 4_000, 4), [1_500, 4]);
		assert.deepEqual(await count(400, 2_100), [400, 3]);
		assert.deepEqual(await count(400, 2_100, 3), [400, 3]);
	});

	it("counts a period by step, with each filter, and reads only its newest events", async () => {
		const { clock, db } = database;
		const tenantId = "counted";
		const startMs = clock.now();
		const actions = [
			"user.signed_in",
			"user.created",
			"user.signed_in",
			"user.updated",
			"user.signed_in",
		] as const;
		for (const [index, action] of actions.entries()) {
			const caller = userCaller({ id: "u", tenantId, username: "u" }, { ...ORIGIN, requestId: `r-${index}` });
			await db.transaction(({ audit }) => audit.append(caller, action, ""));
			clock.advance(600);
		}
		const whole = { tenantId, fromMs: startMs, toMs: startMs + 4_000 };
		const count = async (query: Partial<AuditQuery> = {}, max = 100) => {
			const { totals, countedFromMs } = await db.stores.audit.count(
				{ ...whole, ...query } as typeof whole,
				1_000,
				max,
			);
			const sorted = [...totals].sort(([a], [b]) => a - b);
			return [countedFromMs - startMs, sorted.map(([at, total]) => [at - startMs, total])];
		};
		assert.deepEqual(await count(), [
			0,
			[
				[0, 2],
				[1_000, 2],
				[2_000, 1],
			],
		]);
		assert.deepEqual(await count({ actions: ["user.signed_in"] }), [
			0,
			[
				[0, 1],
				[1_000, 1],
				[2_000, 1],
			],
		]);
		assert.deepEqual(await count({ actions: ["user.created", "user.updated"] }), [
			0,
			[
				[0, 1],
				[1_000, 1],
			],
		]);
		assert.deepEqual(await count({ requestId: "r-3" }), [0, [[1_000, 1]]]);
		assert.deepEqual(await count({ toMs: startMs + 1_200 }), [0, [[0, 2]]]);
		assert.deepEqual(await count({ tenantId: "uncounted" }), [0, []]);
		assert.deepEqual(await count({}, 3), [
			1_200,
			[
				[1_000, 2],
				[2_000, 1],
			],
		]);
		assert.deepEqual(await count({ actions: ["user.created"] }, 3), [1_200, []]);
		assert.deepEqual(await count({ fromMs: startMs + 1_200 }, 3), [
			1_200,
			[
				[1_000, 2],
				[2_000, 1],
			],
		]);
		clock.advance(startMs - clock.now());
	});

	it("lists the events with one of several actions, and continues their export in the order of time", async () => {
		const { clock, db } = database;
		const tenantId = "several";
		const caller = userCaller({ id: "u", tenantId, username: "u" }, ORIGIN);
		for (const action of ["grant.created", "user.signed_in", "grant.updated", "grant.removed"] as const) {
			await db.transaction(({ audit }) => audit.append(caller, action, ""));
			clock.advance(10);
		}
		const query = { tenantId, actions: ["grant.created", "grant.removed", "grant.updated", "nothing"] };
		const listed = await db.stores.audit.list(query, { page: 1, pageSize: 2 });
		assert.deepEqual([listed.total, ...listed.items.map(({ sequence }) => sequence)], [3, 4, 3]);
		const first = await db.stores.audit.listMatching(query, { after: { atMs: 0, sequence: 0 }, upTo: 4 }, 2);
		const rest = await db.stores.audit.listMatching(query, { after: first[1] as AuditEvent, upTo: 4 }, 2);
		assert.deepEqual(
			[first, rest].map((events) => events.map(({ sequence }) => sequence)),
			[[1, 3], [4]],
		);
		assert.equal((await db.stores.audit.list({ tenantId, actions: [] }, PAGE)).total, 4);
	});

	it("searches an index for each filter, in the order of time", async (t) => {
		const { engine } = database;
		if (engine.name !== "sqlite") return t.skip("the plans of SQLite");
		const plans: string[] = [];
		const unused = { add: () => "", write: () => Promise.resolve() };
		const options = { open: (text: string) => text, userCiphers };
		const audit = createAuditStore(explainQueries(engine.queries, plans), options, unused);
		const { tenantId } = database;
		for (const [field, column] of [
			["actorName", "actor_name"],
			["targetName", "target_name"],
			["requestId", "request_id"],
			["ip", "ip"],
		]) {
			plans.length = 0;
			await audit.list({ tenantId, [field as string]: "x" }, PAGE);
			await audit.listMatching(
				{ tenantId, [field as string]: "x" },
				{ after: { atMs: 0, sequence: 0 }, upTo: 9 },
				10,
			);
			const ofTrail = plans.filter((plan) => plan.includes("audit_events"));
			assert.equal(ofTrail.length, 3);
			for (const plan of plans.filter((plan) => !plan.includes("audit_events")))
				assert.match(plan, /^SEARCH user_keys USING .*; SEARCH user_names USING .*tenant_id=\? AND name=\?/);
			for (const plan of ofTrail)
				assert.match(
					plan,
					new RegExp(
						`^(CO-ROUTINE some_rows; )?SEARCH audit_events USING (COVERING )?INDEX \\w+ \\(tenant_id=\\? AND ${column}=\\?[^;]*\\)(; SCAN some_rows)?$`,
					),
				);
		}
		plans.length = 0;
		const query = { tenantId, actions: ["grant.created", "grant.updated"] };
		await audit.list(query, PAGE);
		await audit.listMatching(query, { after: { atMs: 0, sequence: 0 }, upTo: 9 }, 10);
		assert.deepEqual(plans, [
			"SEARCH audit_events USING INDEX audit_events_action (tenant_id=? AND action=?); USE TEMP B-TREE FOR ORDER BY",
			"SEARCH audit_events USING COVERING INDEX audit_events_action (tenant_id=? AND action=?)",
			"SEARCH audit_events USING INDEX audit_events_time (tenant_id=? AND (at,sequence)>(?,?))",
		]);
	});
});
