// Roles of an application: list, define, change, delete.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApplication,
	addCast,
	addRole,
	problemOf,
	putGrant,
} from "../../harness/access/applications.ts";
import { auditOf, lastAuditOf } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const service = testService();
const cast = fixture(() => addCast(service));

const READ = { permission: "a:b", en: "Read", zh: "读取" };

describe("GET /api/v1/applications/{id}/roles", () => {
	const application = fixture(() => addApplication(service));

	const path = (id = application.id) => `${APPLICATIONS}/${id}/roles` as const;

	describe("200", () => {
		it("returns the roles of the application in pages, newest first, to admins and auditors", async () => {
			for (const name of ["first", "second", "third"])
				await addRole(service, application.id, name, ["orders:read"]);
			await addRole(service, (await addApplication(service)).id, "elsewhere");
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", `${path()}?page_size=2`, { token });
				assert.equal(status, 200);
				assert.deepEqual(
					[body.total, body.page, body.page_size, body.data.map((role) => role.name)],
					[3, 1, 2, ["third", "second"]],
				);
			}
			const { body } = await service.callAsAdmin("GET", `${path()}?page=2&page_size=2`);
			const [first] = body.data;
			assert.ok(first);
			const { id, created_at, updated_at, ...rest } = first;
			assert.deepEqual(rest, {
				app_id: application.id,
				name: "first",
				description: "",
				permissions: ["orders:read"],
				permission_descriptions: [],
			});
			assert.match(id, /^[0-9a-f-]{36}$/);
			assert.equal(created_at, updated_at);
		});
	});
});

describe("POST /api/v1/applications/{id}/roles", () => {
	const app = fixture(() => addApplication(service));

	const path = (id = app.id) => `${APPLICATIONS}/${id}/roles` as const;
	const create = (body: unknown, id = app.id) => service.callAsAdmin("POST", path(id), { body });

	describe("201", () => {
		it("defines a role, ignores server-assigned fields, and audits it", async () => {
			const { status, body } = await create({
				name: " editor ",
				description: " May edit. ",
				permissions: ["orders:read", " orders:write ", "invoices:*", "*"],
				id: ABSENT_ID,
				app_id: ABSENT_ID,
			});
			assert.equal(status, 201);
			const { id, created_at, updated_at, ...rest } = body.data;
			const permissions = ["orders:read", "orders:write", "invoices:*", "*"];
			assert.deepEqual(rest, {
				app_id: app.id,
				name: "editor",
				description: "May edit.",
				permissions,
				permission_descriptions: [],
			});
			assert.notEqual(id, ABSENT_ID);
			assert.equal(created_at, updated_at);
			assert.deepEqual(
				(await auditOf(service, `application_role:${id}`)).map(({ action, details }) => [action, details]),
				[["application_role.created", { app_id: app.id, name: "editor", permissions }]],
			);
		});

		it("describes permissions in both languages, until a change removes the permission", async () => {
			const permissions = ["a:b", "c:d"];
			const permission_descriptions = [READ, { permission: "c:d", en: "Write", zh: "写入" }];
			const created = await create({ name: "described", permissions, permission_descriptions });
			assert.deepEqual(created.body.data.permission_descriptions, permission_descriptions);
			const change = (body: object) =>
				service.asAdmin("PATCH", `/api/v1/applications/${app.id}/roles/${created.body.data.id}`, body);
			const renamed = await change({ name: "renamed" });
			assert.deepEqual(renamed.permission_descriptions, permission_descriptions);
			assert.deepEqual((await change({ permissions: ["a:b"] })).permission_descriptions, [READ]);
			assert.deepEqual((await change({ permission_descriptions: [] })).permission_descriptions, []);
		});

		it("accepts each field at its limits", async () => {
			const permissions = Array.from({ length: 200 }, (_, index) => `p${index}:`.padEnd(128, "x"));
			for (const body of [
				{ name: "a" },
				{ name: "a".padEnd(64, "._:-") },
				{ name: "longest-description", description: "😀".repeat(500) },
				{ name: "most-permissions", permissions },
				{ name: "no-permissions", permissions: [] },
			]) {
				const response = await create(body);
				assert.equal(response.status, 201, JSON.stringify(response.body));
			}
		});

		it("allows the same name in another application, and a name that differs in case", async () => {
			await addRole(service, app.id, "same");
			assert.equal((await create({ name: "Same" })).status, 201);
			assert.equal((await create({ name: "same" }, (await addApplication(service)).id)).status, 201);
		});
	});

	describe("400", () => {
		it("names each missing or invalid field", async () => {
			const described = { name: "x", permissions: ["a:b"] };
			for (const [body, field] of [
				[{ name: "a1900000-0000-7000-8000-000000000000" }, "name"],
				[{ name: "A1900000-0000-7000-8000-00000000000F" }, "name"],
				[{ name: "x", permissions: ["a:b", "c", " a:b "] }, "permissions.2"],
				[{ name: "x", permissions: ["a:b", "openid"] }, "permissions.1"],
				[
					{ ...described, permission_descriptions: [READ, { ...READ, permission: "c" }] },
					"permission_descriptions.1",
				],
				[{ ...described, permission_descriptions: [READ, READ] }, "permission_descriptions.1"],
			] as const) {
				const { status, code, fields } = await problemOf(service, "POST", path(), body);
				assert.deepEqual([status, code, fields], [400, "request.invalid", [field]], JSON.stringify(body));
			}
		});
	});

	describe("409", () => {
		it("returns 409 for a 201st role, even to two concurrent requests", async () => {
			const { id } = await addApplication(service);
			const make = (name: string) => problemOf(service, "POST", path(id), { name });
			for (let index = 0; index < 199; index++) await addRole(service, id, `role-${index}`);
			const last = await Promise.all([make("a"), make("b")]);
			assert.deepEqual(last.map(({ status }) => status).sort(), [201, 409]);
			const { status, code } = await make("c");
			assert.deepEqual([status, code], [409, "application_role.too_many"]);
		});

		it("returns 409 for a name that is taken, and accepts one of twenty concurrent requests", async () => {
			await addRole(service, app.id, "taken");
			const { status, code, fields } = await problemOf(service, "POST", path(), { name: "taken" });
			assert.deepEqual([status, code, fields], [409, "application_role.name_taken", ["name"]]);
			const responses = await Promise.all(Array.from({ length: 20 }, () => create({ name: "race" })));
			assert.equal(responses.filter((response) => response.status === 201).length, 1);
			assert.equal(responses.filter((response) => response.status === 409).length, 19);
		});
	});
});

describe("PATCH /api/v1/applications/{id}/roles/{role_id}", () => {
	let roleId: string;
	const application = fixture(() => addApplication(service));
	before(async () => {
		roleId = (await addRole(service, application.id, "standing")).id;
	});

	const path = (role = roleId, app = application.id) => `${APPLICATIONS}/${app}/roles/${role}` as const;
	const patch = (body: unknown, role = roleId) => service.callAsAdmin("PATCH", path(role), { body });

	describe("200", () => {
		it("changes the given fields, keeps the others, and audits it", async () => {
			const before = await addRole(service, application.id, "before", ["a:b"]);
			service.clock.advance(1_000);
			const { status, body } = await patch({ name: "after", permissions: ["c:*", "*"] }, before.id);
			assert.equal(status, 200);
			const { updated_at, ...rest } = body.data;
			const { updated_at: old, ...expected } = { ...before, name: "after", permissions: ["c:*", "*"] };
			assert.deepEqual(rest, expected);
			assert.ok(updated_at > old);
			assert.deepEqual((await auditOf(service, `application_role:${before.id}`)).at(-1)?.details, {
				app_id: application.id,
				fields: ["name", "permissions"],
				name: "after",
				permissions: ["c:*", "*"],
			});
			assert.deepEqual((await patch({ permissions: [] }, before.id)).body.data.permissions, []);
		});

		it("writes nothing if nothing changes", async () => {
			const before = await addRole(service, application.id, "still", ["a:b"]);
			service.clock.advance(1_000);
			for (const body of [{}, undefined, { name: "still", permissions: ["a:b"], id: ABSENT_ID }]) {
				const response = await patch(body, before.id);
				assert.deepEqual([response.status, response.body.data], [200, before]);
			}
			assert.equal((await auditOf(service, `application_role:${before.id}`)).length, 1);
		});
	});

	describe("400", () => {
		it("names the invalid field", async () => {
			for (const [body, field] of [
				[{ name: "a1900000-0000-7000-8000-000000000000" }, "name"],
				[{ permissions: ["a", "a"] }, "permissions.1"],
			] as const) {
				const { status, fields } = await problemOf(service, "PATCH", path(), body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
		});
	});

	describe("409", () => {
		it("returns 409 for a name that another role of the application has", async () => {
			await addRole(service, application.id, "occupied");
			const { status, code } = await problemOf(service, "PATCH", path(), { name: "occupied" });
			assert.deepEqual([status, code], [409, "application_role.name_taken"]);
		});
	});
});

describe("DELETE /api/v1/applications/{id}/roles/{role_id}", () => {
	let roleId: string;
	const application = fixture(() => addApplication(service));
	before(async () => {
		roleId = (await addRole(service, application.id, "standing")).id;
	});

	const path = (role = roleId, app = application.id) => `${APPLICATIONS}/${app}/roles/${role}` as const;

	describe("204", () => {
		it("removes the role from the grants that include it, and audits it", async () => {
			const role = await addRole(service, application.id, "doomed");
			await putGrant(service, application.id, cast.plain.id, ["doomed", "standing"]);
			const response = await service.callAsAdmin("DELETE", path(role.id));
			assert.deepEqual([response.status, response.body], [204, undefined]);
			const grants = await service.callAsAdmin("GET", `${APPLICATIONS}/${application.id}/grants`);
			assert.deepEqual(grants.body.data[0]?.roles, ["standing"]);
			assert.deepEqual(await lastAuditOf(service, `application_role:${role.id}`), [
				"application_role.deleted",
				{ app_id: application.id, name: "doomed" },
			]);
			assert.equal((await service.callAsAdmin("DELETE", path(role.id))).status, 404);
		});
	});
});
