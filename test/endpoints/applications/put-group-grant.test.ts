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
import { addGroup, GROUPS, putGroupGrant } from "../../harness/groups.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("PUT /api/v1/applications/{id}/grants/groups/{group_id}", () => {
	let service: TestService;
	let cast: Cast;
	let appId: string;
	let groupId: string;
	let theirs: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		appId = (await addApplication(service)).id;
		groupId = (await addGroup(service, [cast.plain.id])).id;
		for (const name of ["viewer", "editor"]) await addRole(service, appId, name, [`orders:${name}`]);
		const token = cast.other.adminToken;
		theirs = (await service.call("POST", GROUPS, { token, body: { name: "Theirs" } })).body.data.id;
	});
	after(() => service.stop());

	const path = (app = appId, group = groupId) => `${APPLICATIONS}/${app}/grants/groups/${group}` as const;
	const put = (body: unknown, app = appId, group = groupId) =>
		service.call("PUT", path(app, group), { token: cast.admin, body });

	describe("200", () => {
		it("grants, replaces the roles, changes nothing the second time, and audits it", async () => {
			const { id: app, name: app_name } = await addApplication(service);
			const role = await addRole(service, app, "editor");
			const bare = await put(undefined, app);
			assert.equal(bare.status, 200);
			const { id, created_at, updated_at, ...rest } = bare.body.data;
			assert.deepEqual(rest, { app_id: app, group_id: groupId, roles: [] });
			assert.equal(created_at, updated_at);
			service.clock.advance(1_000);
			const named = await put({ roles: ["editor", role.id.toUpperCase()] }, app);
			assert.deepEqual(
				[named.body.data.id, named.body.data.roles, named.body.data.created_at],
				[id, ["editor"], created_at],
			);
			assert.deepEqual((await put({ roles: [role.id] }, app)).body, named.body);
			const audit = (await auditOf(service, `group:${groupId}`)).filter(
				({ details }) => details.app_id === app,
			);
			assert.deepEqual(
				audit.map(({ action, details }) => [action, details]),
				[
					["grant.created", { app_id: app, app_name, grant_id: id, roles: [], role_ids: [] }],
					["grant.updated", { app_id: app, app_name, grant_id: id, roles: ["editor"], role_ids: [role.id] }],
				],
			);
		});

		it("lists the grant of the group and the grant of its member", async () => {
			const app = (await addApplication(service)).id;
			const own = await putGrant(service, app, cast.plain.id);
			const byGroup = await putGroupGrant(service, app, groupId);
			const { body } = await service.call("GET", `${APPLICATIONS}/${app}/grants`, { token: cast.admin });
			const [first, second] = body.data;
			assert.deepEqual(
				[body.total, first, second],
				[2, { ...byGroup, group_name: first?.group_name }, { ...own, username: "plain", display_name: "" }],
			);
			assert.match(first?.group_name ?? "", /^Group \d+$/);
			assert.deepEqual(Object.keys(own).includes("group_id"), false);
			assert.deepEqual(Object.keys(byGroup).includes("user_id"), false);
		});

		it("stores one grant for many simultaneous requests", async () => {
			const app = (await addApplication(service)).id;
			const answers = await Promise.all(Array.from({ length: 40 }, () => put({}, app)));
			assert.ok(answers.every(({ status }) => status === 200));
			assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1);
		});
	});

	describe("400", () => {
		it("names each role that is not of the application", async () => {
			for (const [body, fields] of [
				[{ roles: ["viewer", "nobody"] }, ["roles.1"]],
				[{ roles: "viewer" }, ["roles"]],
				[{ roles: Array.from({ length: 101 }, () => "viewer") }, ["roles"]],
			] as const) {
				const problem = await problemOf(service, "PUT", path(), body);
				assert.deepEqual([problem.status, problem.fields], [400, fields]);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PUT", path(), {}));
	});

	describe("403", () => {
		it("refuses callers other than admins", () =>
			assertForbidden(service, [cast.auditor, cast.reviewer, cast.plain], "PUT", path(), {}));
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", async () => {
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("x") },
					{ token: cast.other.adminToken, path: path(appId, theirs) },
				],
				"PUT",
				"application.not_found",
				{},
			);
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(appId, ABSENT_ID) },
					{ token: cast.admin, path: path(appId, "x") },
					{ token: cast.admin, path: path(appId, theirs) },
				],
				"PUT",
				"group.not_found",
				{},
			);
		});
	});
});
