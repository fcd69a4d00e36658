// The audit trail: list, chain, counts, export.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Queries } from "../../src/adapters/sql/engine.ts";
import { CHAIN_VERSION } from "../../src/domain/audit.ts";
import { chainHash } from "../../src/features/record/audit/chain.ts";
import { addCast, problemOf } from "../harness/access/applications.ts";
import { unlockAudit } from "../harness/databases/audit.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const PATH = "/api/v1/audit-events";
const CHAIN = "/api/v1/audit-events/chain";
const STATS = "/api/v1/audit-events/stats";
const EXPORT = "/api/v1/audit-events/export";

const service = testService();
const cast = fixture(() => addCast(service));

describe("GET /api/v1/audit-events", () => {
	const list = async (query = "", token?: string) =>
		service.call("GET", `${PATH}?${query}`, { token: token ?? (await service.adminToken()) });

	describe("200", () => {
		it("returns the events, newest first, in the documented form", async () => {
			const { status, body } = await list("page_size=100", cast.auditor.token);
			assert.equal(status, 200);
			assert.equal(body.total, body.data.length);
			assert.deepEqual(Object.keys(body.data[0] ?? {}).toSorted(), [
				"action",
				"actor",
				"actor_name",
				"at",
				"changes",
				"details",
				"hash",
				"id",
				"ip",
				"request_id",
				"summary",
				"target",
				"target_name",
			]);
			assert.equal(body.data.at(-1)?.action, "service.first_started");
			const created = body.data.find(
				({ action, target_name }) => action === "user.created" && target_name === cast.plain.username,
			);
			assert.ok(created);
			assert.match(created.actor, /^user:[0-9a-f-]{36}$/);
			assert.match(created.target, /^user:[0-9a-f-]{36}$/);
			assert.equal(created.ip, "127.0.0.1");
			assert.notEqual(created.request_id, "");
			assert.deepEqual(
				[created.actor_name, created.target_name, created.changes, created.summary],
				["admin", cast.plain.username, {}, `admin created user ${cast.plain.username}`],
			);
		});

		it("filters by actor, action, target, their names, request, address and time", async () => {
			const all = (await list("page_size=100")).body.data;
			const one = all.find(({ action }) => action === "user.created");
			assert.ok(one);
			const exact = ["actor", "actor_name", "action", "target", "target_name", "request_id", "ip"] as const;
			for (const filter of exact) {
				const expected = all.filter((event) => event[filter] === one[filter]).map(({ id }) => id);
				const found: typeof all = (await list(`page_size=100&${filter}=${encodeURIComponent(one[filter])}`))
					.body.data;
				assert.deepEqual(
					found.map(({ id }) => id),
					expected,
				);
			}
			assert.equal((await list("action=user")).body.total, 0);
			assert.equal((await list("actor_name=adm")).body.total, 0);
			assert.equal((await list("ip=::ffff:127.0.0.1")).body.total, (await list("ip=127.0.0.1")).body.total);
			const at = encodeURIComponent(one.at);
			const since = (await list(`page_size=100&from=${at}`)).body.data;
			assert.ok(since.some(({ id }) => id === one.id));
			const until = (await list(`page_size=100&to=${at}`)).body.data;
			assert.ok(!until.some(({ id }) => id === one.id));
			assert.equal(since.length + until.length, all.length);
		});

		it("returns the events with one of several actions, as do the counts and the export", async () => {
			const actions = ["user.created", "service.first_started"];
			const all = (await list("page_size=100")).body.data;
			const expected = all.filter(({ action }) => actions.includes(action)).map(({ id }) => id);
			assert.ok(expected.length > 2);
			const query = "action=user.created,service.first_started,%20user.created";
			const { body } = await list(`${query}&page_size=100`);
			assert.deepEqual([body.total, ...body.data.map(({ id }) => id)], [expected.length, ...expected]);
			const { steps } = await service.asAdmin("GET", `${STATS}?step=day&${query}`);
			assert.equal(
				steps.reduce((sum, { events }) => sum + events, 0),
				expected.length,
			);
			const many = Array.from({ length: 51 }, (_, index) => `a.${index}`).join();
			const { status, fields } = await problemOf(service, "GET", `${PATH}?action=${many}`);
			assert.deepEqual([status, fields], [400, ["action"]]);
			assert.equal((await list(`action=${many.slice(0, many.lastIndexOf(","))}`)).body.total, 0);
		});

		it("chains the events: each hash covers the previous one", async () => {
			const events = (await list("page_size=100")).body.data.toReversed();
			const tenantId = (await service.asAdmin("GET", "/api/v1/users/me")).tenant_id;
			await using beside = await openBeside(service);
			const stored = await beside.db.stores.audit.listChain(tenantId, 0, 100);
			let previous = "";
			for (const [index, event] of events.entries()) {
				const row = stored[index];
				assert.ok(row !== undefined);
				assert.deepEqual([row.id, row.sequence, row.chainVersion], [event.id, index + 1, CHAIN_VERSION]);
				previous = chainHash(previous, row);
				assert.equal(event.hash, previous);
			}
		});

		it("returns no event of another tenant", async () => {
			const { status, body } = await list("page_size=100", cast.other.adminToken);
			assert.equal(status, 200);
			assert.ok(body.total > 0);
			const own = body.data;
			assert.ok(own.every(({ actor }) => !actor.includes(cast.auditor.id)));
		});
	});
});

describe("GET /api/v1/audit-events/chain", () => {
	const newest = async () => (await service.callAsAdmin("GET", `${PATH}?page_size=1`)).body;
	/** The guards of the table would refuse these changes. */
	const tamper = async (work: (queries: Queries) => Promise<void>) => {
		await using engine = await service.openDatabase();
		await unlockAudit(engine);
		await work(engine.queries);
	};

	describe("200", () => {
		it("returns the end of the intact chain to admins and auditors", async () => {
			const { data, total } = await newest();
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", CHAIN, { token });
				assert.equal(status, 200);
				assert.deepEqual(body.data, {
					last_sequence: total,
					last_hash: data[0]?.hash,
					last_at: data[0]?.at,
					checked: total,
					broken_at: null,
					pruned_up_to: 0,
					pruned_at: null,
				});
			}
		});

		it("returns the first changed event", async () => {
			const { data } = await newest();
			const { id = "", action = "" } = data[0] ?? {};
			const state = async () => await service.asAdmin("GET", CHAIN);
			await tamper(async (queries) => {
				const sql = "UPDATE audit_events SET action = $2 WHERE id = $1";
				await queries.run(sql, id, "user.deleted");
				const { broken_at, last_sequence } = await state();
				assert.equal(broken_at, last_sequence);
				await queries.run(sql, id, action);
				assert.equal((await state()).broken_at, null);
			});
		});

		it("checks the trail of the caller's tenant", async () => {
			const own = await service.asAdmin("GET", CHAIN);
			const other = (await service.call("GET", CHAIN, { token: cast.other.adminToken })).body.data;
			assert.notEqual(other.last_hash, own.last_hash);
			assert.equal(other.broken_at, null);
		});
	});
});

describe("GET /api/v1/audit-events/stats", () => {
	const read = async (query: string, token = cast.auditor.token) => {
		const { status, body } = await service.call("GET", `${STATS}?${query}`, { token });
		assert.equal(status, 200, JSON.stringify(body));
		return body.data;
	};
	const sumOf = (steps: readonly { readonly events: number }[]) =>
		steps.reduce((sum, { events }) => sum + events, 0);

	describe("200", () => {
		it("counts the events that the list returns, with the same filters", async () => {
			const all = (await service.callAsAdmin("GET", `${PATH}?page_size=100`)).body;
			const one = all.data.find(({ action }) => action === "user.created");
			assert.ok(one);
			const exact = ["actor", "actor_name", "action", "target", "target_name", "request_id", "ip"] as const;
			for (const filter of ["", ...exact.map((name) => `${name}=${encodeURIComponent(one[name])}`)]) {
				const { total } = (await service.callAsAdmin("GET", `${PATH}?${filter}`)).body;
				const { steps, from, counted_from } = await read(filter);
				assert.deepEqual([sumOf(steps), counted_from], [total, from], filter);
			}
			assert.equal(sumOf((await read("action=user")).steps), 0);
		});

		it("returns every hour or day of the period, and no event of another tenant", async () => {
			const from = "2026-01-01T10:00:00.000Z";
			assert.deepEqual(await read("from=2026-01-01T10:30:00Z&to=2026-01-01T11:30:00Z"), {
				from,
				to: "2026-01-01T12:00:00.000Z",
				step: "hour",
				counted_from: from,
				steps: [
					{ at: from, events: 0 },
					{ at: "2026-01-01T11:00:00.000Z", events: 0 },
				],
			});
			assert.equal((await read("step=day")).steps.length, 31);
			const other = (await service.call("GET", PATH, { token: cast.other.adminToken })).body.total;
			assert.equal(sumOf((await read("", cast.other.adminToken)).steps), other);
		});
	});

	describe("400", () => {
		it("names the invalid parameter, also of a period with too many steps", async () => {
			for (const [query, field] of [
				["from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:01Z", "from"],
				["step=day&from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
				["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
			] as const) {
				const { status, fields } = await problemOf(service, "GET", `${STATS}?${query}`);
				assert.deepEqual([status, fields], [400, [field]], query);
			}
		});
	});
});

describe("GET /api/v1/audit-events/export", () => {
	/** A CSV export is text. */
	const exportCsv = (query = "") =>
		service.call<string>("GET", `${EXPORT}?format=csv${query}`, { token: cast.auditor.token });
	/** Returned as text for every media type. */
	const lines = (body: unknown): Record<string, unknown>[] =>
		String(body)
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => JSON.parse(line));
	const jsonl = async (query = "", token = cast.auditor.token): Promise<Record<string, unknown>[]> => {
		const response = await fetch(`${service.httpUrl}${EXPORT}${query}`, {
			headers: { authorization: `Bearer ${token}` },
		});
		assert.equal(response.status, 200);
		return lines(await response.text());
	};

	describe("200", () => {
		it("streams the whole trail as JSON Lines, in the order of the chain, with the export itself last", async () => {
			const response = await fetch(`${service.httpUrl}${EXPORT}`, {
				headers: { authorization: `Bearer ${cast.auditor.token}` },
			});
			assert.deepEqual(
				["content-type", "content-disposition", "cache-control"].map((name) => response.headers.get(name)),
				["application/jsonl; charset=utf-8", 'attachment; filename="audit-events.jsonl"', "no-store"],
			);
			const exported = lines(await response.text());
			assert.deepEqual(
				exported.map(({ sequence }) => sequence),
				exported.map((_, index) => index + 1),
			);
			const last = exported.at(-1);
			assert.deepEqual(
				[last?.action, last?.actor, last?.details],
				["audit.exported", `user:${cast.auditor.id}`, { format: "jsonl" }],
			);
			const { body } = await service.call("GET", `${PATH}?page_size=100`, {
				token: cast.auditor.token,
			});
			assert.deepEqual(
				exported.map(({ sequence: _, ...event }) => event),
				body.data.toReversed(),
			);
		});

		it("streams CSV without formulas", async () => {
			await service.call("POST", "/api/v1/auth/login", {
				body: { username: "=HYPERLINK(1)", password: "x" },
			});
			await service.asAdmin("PATCH", `/api/v1/users/${cast.auditor.id}`, { display_name: "Ada, Countess" });
			const { status, headers, body } = await exportCsv();
			assert.equal(status, 200);
			assert.equal(headers["content-type"], "text/csv; charset=utf-8");
			const [first, ...rows] = body.split("\r\n");
			assert.equal(
				first,
				"\uFEFFsequence,id,at,actor,action,target,ip,request_id,details,hash,actor_name,target_name,changes,summary",
			);
			assert.equal(rows.at(-1), "");
			for (const row of rows.slice(0, -1)) assert.match(row, /^\d+,[0-9a-f-]{36},2\d{3}-/);
			assert.match(body, /"\{""/);
			assert.doesNotMatch(body, /(^|,)"?[=+@-]/m);
		});

		it("applies the filters of the list, and records them in the trail", async () => {
			const created = await jsonl("?action=user.created&actor_name=admin&from=2000-01-01T00:00:00Z");
			assert.ok(created.length > 0);
			assert.ok(created.every(({ action }) => action === "user.created"));
			const exported = (await jsonl("?action=audit.exported")).at(-2);
			assert.deepEqual(exported?.details, {
				format: "jsonl",
				action: "user.created",
				actor_name: true,
				from: "2000-01-01T00:00:00.000Z",
			});
			assert.deepEqual(
				(await jsonl("?action=service.first_started,user.created")).map(({ id }) => id).slice(1),
				created.map(({ id }) => id),
			);
			assert.deepEqual((await jsonl("?action=audit.exported")).at(-2)?.details, {
				format: "jsonl",
				action: "service.first_started,user.created",
			});
			assert.deepEqual(await jsonl("?action=none"), []);
			const { body } = await exportCsv("&action=none");
			assert.equal(
				body,
				"\uFEFFsequence,id,at,actor,action,target,ip,request_id,details,hash,actor_name,target_name,changes,summary\r\n",
			);
		});

		it("exports several pages in one file, for the tenant of the caller only", async () => {
			// This breaks its chain: the events have no hash.
			const other = await addSecondTenant(service);
			await using engine = await service.openDatabase();
			await engine.transaction(async (queries) => {
				const head = await queries.one<{ sequence: number }>(
					"SELECT sequence FROM audit_heads WHERE tenant_id = $1",
					other.id,
				);
				const sequence = head?.sequence ?? 0;
				await queries.run(
					`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2300)
					 INSERT INTO audit_events (id, tenant_id, sequence, at, actor, action, target, ip, request_id, details, chain_version, hash)
					 SELECT 'filled-' || i, $1, CAST($2 AS INTEGER) + i, CAST($3 AS BIGINT), 'system', 'test.filled', '', '', '', '{}', 3, '' FROM n`,
					other.id,
					sequence,
					service.clock.now(),
				);
				await queries.run(
					"UPDATE audit_heads SET sequence = $2 WHERE tenant_id = $1",
					other.id,
					sequence + 2_300,
				);
			});
			const theirs = await jsonl("", other.adminToken);
			assert.equal(theirs.filter(({ action }) => action === "test.filled").length, 2_300);
			assert.deepEqual(
				theirs.map(({ sequence }) => sequence),
				theirs.map((_, index) => index + 1),
			);
			assert.ok((await jsonl()).every(({ action }) => action !== "test.filled"));
		});
	});
});
