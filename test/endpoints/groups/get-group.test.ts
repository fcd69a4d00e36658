import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
} from "../../harness/applications.ts";
import { addGroup, GROUPS } from "../../harness/groups.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/groups/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await addGroup(service)).id;
	});
	after(() => service.stop());

	const path = (of = id) => `${GROUPS}/${of}` as const;

	describe("200", () => {
		it("answers the group to admins and auditors", async () => {
			const group = await addGroup(service, [], { description: "some" });
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(group.id.toUpperCase()), {
					token,
				});
				assert.deepEqual([status, body], [200, { data: group }]);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path()));
	});

	describe("403", () => {
		it("is not for others", () => assertForbidden(service, [cast.reviewer, cast.plain], "GET", path()));
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
				"group.not_found",
			));
	});
});
