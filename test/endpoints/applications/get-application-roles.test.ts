import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApplication,
	addCast,
	addRole,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/applications/{id}/roles", () => {
	let service: TestService;
	let cast: Cast;
	let appId: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		appId = (await addApplication(service)).id;
	});
	after(() => service.stop());

	const path = (id = appId) => `${APPLICATIONS}/${id}/roles` as const;

	describe("200", () => {
		it("answers the application's roles in pages, newest first, to admins and auditors", async () => {
			for (const name of ["first", "second", "third"]) await addRole(service, appId, name, ["orders:read"]);
			await addRole(service, (await addApplication(service)).id, "elsewhere");
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", `${path()}?page_size=2`, { token });
				assert.equal(status, 200);
				assert.deepEqual(
					[body.total, body.page, body.page_size, body.data.map((role) => role.name)],
					[3, 1, 2, ["third", "second"]],
				);
			}
			const { body } = await service.call("GET", `${path()}?page=2&page_size=2`, { token: cast.admin });
			const [first] = body.data;
			assert.ok(first);
			const { id, created_at, updated_at, ...rest } = first;
			assert.deepEqual(rest, {
				app_id: appId,
				name: "first",
				description: "",
				permissions: ["orders:read"],
			});
			assert.match(id, /^[0-9a-f-]{36}$/);
			assert.equal(created_at, updated_at);
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			const { status, fields } = await problemOf(service, "GET", `${path()}?page=0&page_size=1000`);
			assert.deepEqual([status, fields], [400, ["page", "page_size"]]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path()));
	});

	describe("403", () => {
		it("refuses reviewers and users without a role", () =>
			assertForbidden(service, [cast.reviewer, cast.plain], "GET", path()));
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("x") },
					{ token: cast.other.adminToken, path: path() },
				],
				"GET",
				"application.not_found",
			));
	});
});
