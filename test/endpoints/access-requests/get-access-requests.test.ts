import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { decide, REQUESTS, submit } from "../../harness/access-requests.ts";
import { addPerson } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";
import type { BodyOf } from "../../harness/wire-body.ts";

let service: TestService;
let token: string;
let submitted: BodyOf<"POST", typeof REQUESTS>[];

before(async () => {
	service = await startTestService();
	token = await service.adminToken();
	submitted = [];
	for (const [applicant_name, company, project_name] of [
		["Ada", "Engines Ltd", "Analytical"],
		["Grace", "Navy", "100% Compiler"],
		["Edsger", "", "Shortest_Path"],
		["Barbara", "MIT \\ Lab", "Analytics"],
		["王小明", "示例公司", "账单系统"],
	]) {
		submitted.push(await submit(service, { applicant_name, company, project_name }));
	}
	const [ada, grace] = submitted;
	assert.ok(ada && grace);
	await decide(service, ada.id, "approve");
	await decide(service, grace.id, "reject");
});
after(() => service.stop());

const get = (query: "" | `?${string}`, as = token) =>
	service.call("GET", `${REQUESTS}${query}`, { token: as });
const names = (answer: Answer<BodyOf<"GET", typeof REQUESTS>>): string[] =>
	answer.body.data.map((request) => request.applicant_name);

describe("GET /api/v1/access-requests", () => {
	describe("200", () => {
		test("answers a page of the submitted requests, newest first", async () => {
			const answer = await get("");
			assert.equal(answer.status, 200);
			const { data, ...counts } = answer.body;
			assert.deepEqual(counts, { total: 5, page: 1, page_size: 20 });
			assert.deepEqual(names(answer), ["王小明", "Barbara", "Edsger", "Grace", "Ada"]);
			assert.deepEqual(data[0], {
				...submitted[4],
				api_client_id: null,
				reviewed_by_name: null,
				claimed_at: null,
			});
		});

		test("answers pages without overlap, and an empty page after the last", async () => {
			assert.deepEqual(names(await get("?page=1&page_size=2")), ["王小明", "Barbara"]);
			const last = await get("?page=3&page_size=2");
			assert.deepEqual(names(last), ["Ada"]);
			assert.equal(last.body.total, 5);
			const beyond = await get("?page=4&page_size=2");
			assert.deepEqual(beyond.body, { data: [], total: 5, page: 4, page_size: 2 });
			assert.equal((await get("?page_size=100")).body.page_size, 100);
		});

		test("filters by status, and the total counts the result", async () => {
			const approved = await get("?status=approved");
			assert.deepEqual(names(approved), ["Ada"]);
			assert.equal(approved.body.total, 1);
			assert.match(approved.body.data[0]?.api_client_id ?? "", /^[0-9a-f-]{36}$/);
			assert.deepEqual(names(await get("?status=rejected")), ["Grace"]);
			assert.deepEqual(names(await get("?status=pending")), ["王小明", "Barbara", "Edsger"]);
			assert.equal((await get("?status=withdrawn")).body.total, 0);
			assert.equal((await get("?status=")).body.total, 5);
		});

		for (const [q, found] of [
			["ANALYTIC", ["Barbara", "Ada"]],
			["engines", ["Ada"]],
			["grace", ["Grace"]],
			["partner.example", ["王小明", "Barbara", "Edsger", "Grace", "Ada"]],
			["100%", ["Grace"]],
			["%", ["Grace"]],
			["_", ["Edsger"]],
			["\\", ["Barbara"]],
			["小明", ["王小明"]],
			["账单", ["王小明"]],
			["nobody", []],
			["'", []],
		] as const) {
			test(`searches literally for ${q}`, async () => {
				assert.deepEqual(names(await get(`?q=${encodeURIComponent(q)}`)), found);
			});
		}

		test("answers the oldest first", async () => {
			const answer = await get("?sort=oldest&status=pending&page_size=2");
			assert.deepEqual([names(answer), answer.body.total], [["Edsger", "Barbara"], 3]);
			assert.deepEqual(names(await get("?sort=newest&page_size=1")), ["王小明"]);
		});

		test("answers others of the same address or company, without the one named", async () => {
			const first = await submit(service, { applicant_name: "Joan", company: "Bletchley Park" });
			await decide(service, first.id, "reject");
			await submit(service, { applicant_name: "Alan", company: "BLETCHLEY Park" });
			await submit(service, { applicant_name: "Elsewhere", company: "Bletchley Park Museum" });
			await submit(service, { applicant_name: "Again", email: first.email, company: "" });
			await submit(service, { applicant_name: "Alone", company: "" });
			const related = async (id: string) => names(await get(`?related_to=${id}`));
			assert.deepEqual(await related(first.id), ["Again", "Alan"]);
			const [again] = (await get("?q=Again")).body.data;
			assert.deepEqual(await related(again?.id ?? ""), ["Joan"]);
			assert.equal((await get(`?related_to=${first.id}&status=pending`)).body.total, 2);
			const second = await addSecondTenant(service);
			await submit(service, { company: "Bletchley Park" }, { "x-tenant-id": second.id });
			assert.deepEqual(await related(first.id), ["Again", "Alan"]);
			assert.equal((await get(`?related_to=${first.id}`, second.adminToken)).status, 400);
		});

		test("names who decided", async () => {
			const [decided, byName] = [(await get("?status=rejected")).body.data[0], "admin"];
			assert.equal(decided?.reviewed_by_name, byName);
			assert.equal((await get("?status=pending")).body.data[0]?.reviewed_by_name, null);
		});

		test("combines the filters status and q", async () => {
			assert.deepEqual(names(await get("?q=analytic&status=pending")), ["Barbara"]);
		});

		for (const role of ["reviewer", "auditor", "admin"]) {
			test(`answers a user with the role ${role}`, async () => {
				const { token: own } = await addPerson(service, `list-${role}`, { roles: [role] });
				assert.equal((await get("", own)).status, 200);
			});
		}

		test("answers another tenant's admin nothing of this tenant", async () => {
			const second = await addSecondTenant(service);
			assert.deepEqual((await get("", second.adminToken)).body.data, []);
			const theirs = await submit(service, {}, { "x-tenant-id": second.id });
			const answer = await get("", second.adminToken);
			assert.equal(answer.body.total, 1);
			assert.equal(answer.body.data[0]?.id, theirs.id);
			assert.equal((await get(`?q=${theirs.email}`)).body.total, 0);
		});
	});

	describe("400", () => {
		for (const query of [
			"?page=0",
			"?page=-1",
			"?page=1e1",
			"?page=01",
			"?page=%201",
			"?page=1.0",
			"?page_size=0",
			"?page_size=101",
			"?page_size=ten",
			"?page=1&page=2",
			"?status=open",
			"?sort=created_at",
			"?related_to=1",
			"?related_to=01980000-0000-7000-8000-000000000000",
			"?status=Pending",
			"?status=pending&status=approved",
			`?q=${"x".repeat(201)}`,
			"?q=a%00b",
		] as const) {
			test(query.slice(0, 40), async () => {
				assert.equal((await get(query)).status, 400);
			});
		}
	});

	describe("401", () => {
		test("refuses a request without a token or with an invalid one", async () => {
			for (const answer of [await service.call("GET", REQUESTS), await get("", "nonsense")]) {
				assert.equal(answer.status, 401);
				assert.equal(answer.headers["www-authenticate"], "Bearer");
			}
		});
	});

	describe("403", () => {
		test("refuses a user without a role", async () => {
			const { token: own } = await addPerson(service, "list-nobody");
			assert.equal((await get("", own)).status, 403);
		});
	});
});
