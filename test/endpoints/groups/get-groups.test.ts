import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { addGroup, GROUPS } from "../../harness/groups.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import type { DataOf } from "../../harness/wire-body.ts";

describe("GET /api/v1/groups", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	describe("200", () => {
		it("answers the tenant's groups in pages, newest first, to admins and auditors", async () => {
			const groups: DataOf<"GET /api/v1/groups">[number][] = [];
			for (let count = 0; count < 3; count++) groups.unshift(await addGroup(service));
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", GROUPS, { token });
				assert.deepEqual([status, body.total, body.data], [200, 3, groups]);
			}
			const { body } = await service.call("GET", `${GROUPS}?page=2&page_size=2`, {
				token: cast.admin,
			});
			assert.deepEqual(body, { data: groups.slice(2), total: 3, page: 2, page_size: 2 });
			const theirs = await service.call("GET", GROUPS, { token: cast.other.adminToken });
			assert.deepEqual([theirs.body.data, theirs.body.total], [[], 0]);
		});

		it("finds parts of name and description, taken literally", async () => {
			const clerk = await addGroup(service, [], { name: "100% Clerks" });
			const night = await addGroup(service, [], { description: "works with CLERKS at night" });
			for (const [q, found] of [
				["clerks", [night.id, clerk.id]],
				["0% C", [clerk.id]],
				["_", []],
			] as const) {
				const { body } = await service.call("GET", `${GROUPS}?q=${encodeURIComponent(q)}`, {
					token: cast.admin,
				});
				assert.deepEqual(
					body.data.map(({ id }) => id),
					found,
					q,
				);
			}
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			for (const [query, field] of [
				["page=0", "page"],
				["page_size=101", "page_size"],
				[`q=${"x".repeat(201)}`, "q"],
			] as const) {
				const { status, fields } = await problemOf(service, "GET", `${GROUPS}?${query}`);
				assert.deepEqual([status, fields], [400, [field]]);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", GROUPS));
	});

	describe("403", () => {
		it("is not for others", () => assertForbidden(service, [cast.reviewer, cast.plain], "GET", GROUPS));
	});
});
