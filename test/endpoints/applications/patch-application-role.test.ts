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
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("PATCH /api/v1/applications/{id}/roles/{role_id}", () => {
	let service: TestService;
	let cast: Cast;
	let appId: string;
	let roleId: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		appId = (await addApplication(service)).id;
		roleId = (await addRole(service, appId, "standing")).id;
	});
	after(() => service.stop());

	const path = (role = roleId, app = appId) => `${APPLICATIONS}/${app}/roles/${role}` as const;
	const patch = (body: unknown, role = roleId) =>
		service.call("PATCH", path(role), { token: cast.admin, body });

	describe("200", () => {
		it("changes the given fields, keeps the others, and audits it", async () => {
			const before = await addRole(service, appId, "before", ["a:b"]);
			service.clock.advance(1_000);
			const { status, body } = await patch({ name: "after", permissions: ["c:*", "*"] }, before.id);
			assert.equal(status, 200);
			const { updated_at, ...rest } = body.data;
			const { updated_at: old, ...expected } = { ...before, name: "after", permissions: ["c:*", "*"] };
			assert.deepEqual(rest, expected);
			assert.ok(updated_at > old);
			assert.deepEqual((await auditOf(service, `application_role:${before.id}`)).at(-1)?.details, {
				app_id: appId,
				fields: ["name", "permissions"],
				name: "after",
				permissions: ["c:*", "*"],
			});
			assert.deepEqual((await patch({ permissions: [] }, before.id)).body.data.permissions, []);
		});

		it("writes nothing when nothing changes", async () => {
			const before = await addRole(service, appId, "still", ["a:b"]);
			service.clock.advance(1_000);
			for (const body of [{}, undefined, { name: "still", permissions: ["a:b"], id: ABSENT_ID }]) {
				const answer = await patch(body, before.id);
				assert.deepEqual([answer.status, answer.body.data], [200, before]);
			}
			assert.equal((await auditOf(service, `application_role:${before.id}`)).length, 1);
		});
	});

	describe("400", () => {
		it("names the field that is wrong", async () => {
			for (const [body, field] of [
				[{ name: "" }, "name"],
				[{ name: null }, "name"],
				[{ name: "a1900000-0000-7000-8000-000000000000" }, "name"],
				[{ description: 5 }, "description"],
				[{ permissions: null }, "permissions"],
				[{ permissions: ["a", "a"] }, "permissions.1"],
				[{ permissions: ["a b"] }, "permissions.0"],
			] as const) {
				const { status, fields } = await problemOf(service, "PATCH", path(), body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PATCH", path(), {}));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "PATCH", path(), {});
		});
	});

	describe("404", () => {
		it("answers absent and malformed ids, and roles of other applications and tenants alike", async () => {
			const elsewhere = (await addApplication(service)).id;
			const body = { name: "x" };
			const code = "application_role.not_found";
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("x") },
					{ token: cast.admin, path: path(roleId, elsewhere) },
					{ token: cast.admin, path: path(roleId, ABSENT_ID) },
					{ token: cast.other.adminToken, path: path() },
				],
				"PATCH",
				code,
				body,
			);
			const malformed = [{ token: cast.admin, path: path(roleId, "x") }];
			await assertNotFound(service, malformed, "PATCH", "application.not_found", body);
		});
	});

	describe("409", () => {
		it("refuses a name that another role of the application has", async () => {
			await addRole(service, appId, "occupied");
			const { status, code } = await problemOf(service, "PATCH", path(), { name: "occupied" });
			assert.deepEqual([status, code], [409, "application_role.name_taken"]);
		});
	});
});
