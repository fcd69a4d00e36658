import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { GROUPS } from "../../harness/groups.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/groups", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const create = (body: unknown, token = cast.admin) => service.call("POST", GROUPS, { token, body });

	describe("201", () => {
		it("answers the new group, and audits it", async () => {
			const { status, body } = await create({
				name: "  Clerks ",
				description: " day shift ",
				id: "x",
				tenant_id: "y",
			});
			assert.equal(status, 201);
			const { id, tenant_id, created_at, updated_at, ...rest } = body.data;
			assert.deepEqual(rest, { name: "Clerks", description: "day shift" });
			assert.equal(created_at, updated_at);
			const read = await service.call("GET", `${GROUPS}/${id}`, { token: cast.admin });
			assert.deepEqual(read.body, body);
			assert.equal(read.body.data.tenant_id, tenant_id);
			const [audit] = await auditOf(service, `group:${id}`);
			assert.deepEqual([audit?.action, audit?.details], ["group.created", { name: "Clerks" }]);
		});

		it("takes texts at their limits, counted in code points", async () => {
			const texts = { name: "𝕏".repeat(100), description: "𝕏".repeat(500) };
			assert.equal((await create(texts)).status, 201);
		});

		it("lets another tenant use the same name", async () => {
			assert.equal((await create({ name: "Both" })).status, 201);
			assert.equal((await create({ name: "Both" }, cast.other.adminToken)).status, 201);
		});
	});

	describe("400", () => {
		it("names every field that is wrong", async () => {
			for (const [body, fields] of [
				[{}, ["name"]],
				[{ name: "  " }, ["name"]],
				[{ name: 5 }, ["name"]],
				[{ name: "x".repeat(101) }, ["name"]],
				[{ name: "x", description: "x".repeat(501) }, ["description"]],
				[{ name: "x", description: null }, ["description"]],
			] as const) {
				const problem = await problemOf(service, "POST", GROUPS, body);
				assert.deepEqual([problem.status, problem.fields], [400, fields], JSON.stringify(body));
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", GROUPS, { name: "x" }));
	});

	describe("403", () => {
		it("is for admins only", () =>
			assertForbidden(service, [cast.auditor, cast.reviewer, cast.plain], "POST", GROUPS, { name: "x" }));
	});

	describe("409", () => {
		it("accepts one of many simultaneous requests, ignoring case", async () => {
			const names = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? "Racers" : "RACERS"));
			const answers = await Promise.all(names.map((name) => create({ name })));
			const statuses = answers.map(({ status }) => status).sort();
			assert.deepEqual(statuses, [201, ...Array.from({ length: 39 }, () => 409)]);
			const { code, fields } = await problemOf(service, "POST", GROUPS, { name: "racers" });
			assert.deepEqual([code, fields], ["group.name_taken", ["name"]]);
		});
	});
});
