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
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("PUT /api/v1/applications/{id}/grants/users/{user_id}", () => {
	let service: TestService;
	let cast: Cast;
	let appId: string;
	let userId: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		appId = (await addApplication(service)).id;
		userId = cast.plain.id;
		for (const name of ["viewer", "editor"]) await addRole(service, appId, name);
	});
	after(() => service.stop());

	const path = (app = appId, user = userId) => `${APPLICATIONS}/${app}/grants/users/${user}` as const;
	const put = (body: unknown, app = appId, user = userId) =>
		service.call("PUT", path(app, user), { token: cast.admin, body });
	const auditedGrants = async (user: string, app: string) =>
		(await auditOf(service, `user:${user}`))
			.filter(({ action, details }) => action.startsWith("grant.") && details.app_id === app)
			.map(({ action, details }) => [action, details.roles]);

	describe("200", () => {
		it("grants, replaces the roles, and changes nothing the second time", async () => {
			const app = (await addApplication(service)).id;
			const role = await addRole(service, app, "editor");
			await addRole(service, app, "Admin");

			const bare = await put(undefined, app);
			assert.equal(bare.status, 200);
			const { id, created_at, updated_at, ...rest } = bare.body.data;
			assert.deepEqual(rest, { app_id: app, user_id: userId, roles: [] });
			assert.equal(created_at, updated_at);

			service.clock.advance(1_000);
			const named = await put({ roles: ["editor", "Admin", role.id.toUpperCase(), " editor "] }, app);
			assert.deepEqual([named.status, named.body.data.id], [200, id]);
			assert.deepEqual(named.body.data.roles, ["Admin", "editor"]);
			assert.equal(named.body.data.created_at, created_at);
			assert.ok(named.body.data.updated_at > updated_at);

			service.clock.advance(1_000);
			assert.deepEqual((await put({ roles: [role.id, "Admin"] }, app)).body, named.body);
			assert.deepEqual((await put({ roles: [] }, app)).body.data.roles, []);
			assert.deepEqual((await put({}, app)).body.data.roles, []);
			assert.deepEqual(await auditedGrants(userId, app), [
				["grant.created", []],
				["grant.updated", ["Admin", "editor"]],
				["grant.updated", []],
			]);
		});

		it("stores one grant for many simultaneous requests", async () => {
			const app = (await addApplication(service)).id;
			for (const name of ["a", "b"]) await addRole(service, app, name);
			const sets = Array.from({ length: 60 }, (_, index) => [["a"], ["b"], ["a", "b"]][index % 3]);
			const answers = await Promise.all(sets.map((roles) => put({ roles }, app)));
			assert.ok(answers.every(({ status }) => status === 200));
			assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1);
			for (const [index, { body }] of answers.entries()) assert.deepEqual(body.data.roles, sets[index]);
			const list = await service.call("GET", `${APPLICATIONS}/${app}/grants`, { token: cast.admin });
			assert.equal(list.body.total, 1);
			const created = (await auditedGrants(userId, app)).filter(([action]) => action === "grant.created");
			assert.equal(created.length, 1);
		});

		it("accepts the maximum number of roles", async () => {
			const app = (await addApplication(service)).id;
			const names = Array.from({ length: 100 }, (_, index) => `role-${String(index).padStart(3, "0")}`);
			await Promise.all(names.map((name) => addRole(service, app, name)));
			assert.deepEqual((await putGrant(service, app, userId, names)).roles, names);
		});
	});

	describe("400", () => {
		it("names each role that is not of the application", async () => {
			const elsewhere = (await addApplication(service)).id;
			const foreign = await addRole(service, elsewhere, "foreign");
			for (const [body, fields] of [
				[{ roles: ["viewer", "nobody", "Editor"] }, ["roles.1", "roles.2"]],
				[{ roles: [foreign.id] }, ["roles.0"]],
				[{ roles: ["foreign"] }, ["roles.0"]],
				[{ roles: [ABSENT_ID] }, ["roles.0"]],
				[{ roles: [""] }, ["roles.0"]],
				[{ roles: [5] }, ["roles.0"]],
				[{ roles: ["x".repeat(65)] }, ["roles.0"]],
				[{ roles: "viewer" }, ["roles"]],
				[{ roles: null }, ["roles"]],
				[{ roles: Array.from({ length: 101 }, () => "viewer") }, ["roles"]],
			] as const) {
				const problem = await problemOf(service, "PUT", path(), body);
				assert.deepEqual([problem.status, problem.fields], [400, fields], JSON.stringify(body));
			}
			const list = await service.call("GET", `${APPLICATIONS}/${appId}/grants`, { token: cast.admin });
			assert.equal(list.body.total, 0);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PUT", path(), { roles: [] }));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "PUT", path(), { roles: [] });
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", async () => {
			const body = { roles: [] };
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("x") },
					{ token: cast.other.adminToken, path: path(appId, cast.other.adminId) },
					{ token: cast.other.adminToken, path: path() },
				],
				"PUT",
				"application.not_found",
				body,
			);
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(appId, ABSENT_ID) },
					{ token: cast.admin, path: path(appId, "x") },
					{ token: cast.admin, path: path(appId, cast.other.adminId) },
				],
				"PUT",
				"user.not_found",
				body,
			);
		});
	});
});
