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
	putGrant,
} from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/applications/{id}/grants", () => {
	let service: TestService;
	let cast: Cast;
	let appId: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		appId = (await addApplication(service)).id;
	});
	after(() => service.stop());

	const path = (id = appId) => `${APPLICATIONS}/${id}/grants` as const;

	describe("200", () => {
		it("answers the grants with their roles in pages, newest first, to admins and auditors", async () => {
			await addRole(service, appId, "viewer");
			await addRole(service, appId, "editor");
			const first = await putGrant(service, appId, cast.plain.id, ["viewer", "editor"]);
			const second = await putGrant(service, appId, cast.reviewer.id);
			const third = await putGrant(service, appId, cast.auditor.id, ["viewer"]);
			await putGrant(service, (await addApplication(service)).id, cast.plain.id);
			assert.deepEqual(first.roles, ["editor", "viewer"]);
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.total, body.data], [200, 3, [third, second, first]]);
			}
			const { body } = await service.call("GET", `${path()}?page=2&page_size=2`, { token: cast.admin });
			assert.deepEqual(body, { data: [first], total: 3, page: 2, page_size: 2 });
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			const { status, fields } = await problemOf(service, "GET", `${path()}?page=1.5`);
			assert.deepEqual([status, fields], [400, ["page"]]);
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
