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
} from "../../harness/applications.ts";
import { addGroup, GROUPS, putGroupGrant } from "../../harness/groups.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("DELETE /api/v1/applications/{id}/grants/groups/{group_id}", () => {
	let service: TestService;
	let cast: Cast;
	let appId: string;
	let appName: string;
	let groupId: string;
	let theirs: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		({ id: appId, name: appName } = await addApplication(service));
		groupId = (await addGroup(service, [cast.plain.id])).id;
		for (const name of ["viewer", "editor"]) await addRole(service, appId, name, [`orders:${name}`]);
		const token = cast.other.adminToken;
		theirs = (await service.call("POST", GROUPS, { token, body: { name: "Theirs" } })).body.data.id;
	});
	after(() => service.stop());

	const path = (app = appId, group = groupId) => `${APPLICATIONS}/${app}/grants/groups/${group}` as const;

	describe("204", () => {
		it("removes the members' access to the application, and audits it", async () => {
			const grant = await putGroupGrant(service, appId, groupId, ["viewer"]);
			const seen = async (): Promise<number> =>
				(await service.call("GET", APPLICATIONS, { token: cast.plain.token })).body.total;
			assert.equal(await seen(), 1);
			const answer = await service.call("DELETE", path(), { token: cast.admin });
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal(await seen(), 0);
			const audit = (await auditOf(service, `group:${groupId}`)).at(-1);
			assert.deepEqual(
				[audit?.action, audit?.details],
				["grant.removed", { app_id: appId, app_name: appName, grant_id: grant.id }],
			);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "DELETE", path()));
	});

	describe("403", () => {
		it("refuses callers other than admins", () =>
			assertForbidden(service, [cast.auditor, cast.reviewer, cast.plain], "DELETE", path()));
	});

	describe("404", () => {
		it("answers an absent grant, group and application alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path(appId, ABSENT_ID) },
					{ token: cast.admin, path: path(appId, theirs) },
					{ token: cast.other.adminToken, path: path() },
					{ token: cast.other.adminToken, path: path(appId, theirs) },
				],
				"DELETE",
				"grant.not_found",
			));

		it("answers a malformed id like an absent one", async () => {
			const calls = [{ token: cast.admin, path: path("x") }];
			await assertNotFound(service, calls, "DELETE", "application.not_found");
			const groups = [{ token: cast.admin, path: path(appId, "x") }];
			await assertNotFound(service, groups, "DELETE", "group.not_found");
		});
	});
});
