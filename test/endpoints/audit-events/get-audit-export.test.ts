import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertForbidden, assertUnauthenticated, problemOf } from "../../harness/applications.ts";
import { addPerson, type Person } from "../../harness/people.ts";
import { addSecondTenant, type SecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/audit-events/export";

describe("GET /api/v1/audit-events/export", () => {
	let service: TestService;
	let auditor: Person;
	let other: SecondTenant;
	before(async () => {
		service = await startTestService();
		auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
		other = await addSecondTenant(service);
	});
	after(() => service.stop());

	/** A CSV export is answered as text. */
	const exportCsv = (query = "") =>
		service.call<string>("GET", `${PATH}?format=csv${query}`, { token: auditor.token });
	/** Returned as text for every media type. */
	const lines = (body: unknown): Record<string, unknown>[] =>
		String(body)
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => JSON.parse(line));
	const jsonl = async (query = "", token = auditor.token): Promise<Record<string, unknown>[]> => {
		const response = await fetch(`${service.httpUrl}${PATH}${query}`, {
			headers: { authorization: `Bearer ${token}` },
		});
		assert.equal(response.status, 200);
		return lines(await response.text());
	};

	describe("200", () => {
		it("streams the whole trail as JSON Lines, in the order of the chain, the export itself last", async () => {
			const response = await fetch(`${service.httpUrl}${PATH}`, {
				headers: { authorization: `Bearer ${auditor.token}` },
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
				["audit.exported", `user:${auditor.id}`, { format: "jsonl" }],
			);
			const { body } = await service.call("GET", "/api/v1/audit-events?page_size=100", {
				token: auditor.token,
			});
			assert.deepEqual(
				exported.map(({ sequence: _, ...event }) => event),
				body.data.toReversed(),
			);
		});

		it("streams CSV that no spreadsheet runs", async () => {
			await service.call("POST", "/api/v1/auth/login", {
				body: { username: "=HYPERLINK(1)", password: "x" },
			});
			await service.call("PATCH", `/api/v1/users/${auditor.id}`, {
				token: await service.adminToken(),
				body: { display_name: "Ada, Countess" },
			});
			const { status, headers, body } = await exportCsv();
			assert.equal(status, 200);
			assert.equal(headers["content-type"], "text/csv; charset=utf-8");
			const [first, ...rows] = body.split("\r\n");
			assert.equal(
				first,
				"sequence,id,at,actor,action,target,ip,request_id,details,hash,actor_name,target_name,changes,summary",
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
				actor_name: "admin",
				from: "2000-01-01T00:00:00.000Z",
			});
			assert.deepEqual(await jsonl("?action=none"), []);
			const { body } = await exportCsv("&action=none");
			assert.equal(
				body,
				"sequence,id,at,actor,action,target,ip,request_id,details,hash,actor_name,target_name,changes,summary\r\n",
			);
		});

		it("exports several pages in one file, and only the caller's tenant", async () => {
			const engine = await service.openDatabase();
			await engine.transaction(async (queries) => {
				const head = await queries.one<{ sequence: number }>(
					"SELECT sequence FROM audit_heads WHERE tenant_id = $1",
					other.id,
				);
				const from = (head?.sequence ?? 0) + 1;
				for (let sequence = from; sequence < from + 2_300; sequence++)
					await queries.run(
						`INSERT INTO audit_events (id, tenant_id, sequence, at, actor, action, target, ip, request_id, details, hash)
						 VALUES ($1, $2, $3, 0, 'system', 'test.filled', '', '', '', '{}', '')`,
						`filled-${sequence}`,
						other.id,
						sequence,
					);
				await queries.run(
					"UPDATE audit_heads SET sequence = $2 WHERE tenant_id = $1",
					other.id,
					from + 2_299,
				);
			});
			await engine.close();
			const theirs = await jsonl("", other.adminToken);
			assert.equal(theirs.filter(({ action }) => action === "test.filled").length, 2_300);
			assert.deepEqual(
				theirs.map(({ sequence }) => sequence),
				theirs.map((_, index) => index + 1),
			);
			assert.ok((await jsonl()).every(({ action }) => action !== "test.filled"));
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			for (const [query, field] of [
				["format=xml", "format"],
				["from=yesterday", "from"],
			] as const) {
				const { status, fields } = await problemOf(service, "GET", `${PATH}?${query}`);
				assert.deepEqual([status, fields], [400, [field]]);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", PATH));
	});

	describe("403", () => {
		it("is for admins and auditors only", async () => {
			const plain = await addPerson(service, "plain");
			const reviewer = await addPerson(service, "reviewer", { roles: ["reviewer"] });
			await assertForbidden(service, [plain, reviewer], "GET", PATH);
		});
	});
});
