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

describe("POST /api/v1/applications/{id}/roles", () => {
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
	const create = (body: unknown, id = appId) => service.call("POST", path(id), { token: cast.admin, body });

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
			assert.deepEqual(rest, { app_id: appId, name: "editor", description: "May edit.", permissions });
			assert.notEqual(id, ABSENT_ID);
			assert.equal(created_at, updated_at);
			assert.deepEqual(
				(await auditOf(service, `application_role:${id}`)).map(({ action, details }) => [action, details]),
				[["application_role.created", { app_id: appId, name: "editor", permissions }]],
			);
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
				const answer = await create(body);
				assert.equal(answer.status, 201, JSON.stringify(answer.body));
			}
		});

		it("allows the same name in another application, and a name that differs in case", async () => {
			await addRole(service, appId, "same");
			assert.equal((await create({ name: "Same" })).status, 201);
			assert.equal((await create({ name: "same" }, (await addApplication(service)).id)).status, 201);
		});
	});

	describe("400", () => {
		it("names each field that is missing or wrong", async () => {
			const tooMany = Array.from({ length: 201 }, (_, index) => `p${index}`);
			for (const [body, field] of [
				[{}, "name"],
				[{ name: "" }, "name"],
				[{ name: "1st" }, "name"],
				[{ name: "has space" }, "name"],
				[{ name: "a".repeat(65) }, "name"],
				[{ name: "a1900000-0000-7000-8000-000000000000" }, "name"],
				[{ name: "A1900000-0000-7000-8000-00000000000F" }, "name"],
				[{ name: "x", description: "d".repeat(501) }, "description"],
				[{ name: "x", permissions: "orders:read" }, "permissions"],
				[{ name: "x", permissions: tooMany }, "permissions"],
				[{ name: "x", permissions: ["ok", "orders:"] }, "permissions.1"],
				[{ name: "x", permissions: ["*:read"] }, "permissions.0"],
				[{ name: "x", permissions: [""] }, "permissions.0"],
				[{ name: "x", permissions: ["p".repeat(129)] }, "permissions.0"],
				[{ name: "x", permissions: [5] }, "permissions.0"],
				[{ name: "x", permissions: ["a:b", "c", " a:b "] }, "permissions.2"],
			] as const) {
				const { status, code, fields } = await problemOf(service, "POST", path(), body);
				assert.deepEqual([status, code, fields], [400, "request.invalid", [field]], JSON.stringify(body));
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", path(), { name: "x" }));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", path(), { name: "x" });
		});
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
				"POST",
				"application.not_found",
				{ name: "x" },
			));
	});

	describe("409", () => {
		it("refuses a 201st role of an application, also for two simultaneous requests", async () => {
			const { id } = await addApplication(service);
			const make = (name: string) => problemOf(service, "POST", path(id), { name });
			for (let index = 0; index < 199; index++) await addRole(service, id, `role-${index}`);
			const last = await Promise.all([make("a"), make("b")]);
			assert.deepEqual(last.map(({ status }) => status).sort(), [201, 409]);
			const { status, code } = await make("c");
			assert.deepEqual([status, code], [409, "application_role.too_many"]);
		});

		it("refuses an existing name, and accepts one of fifty simultaneous requests", async () => {
			await addRole(service, appId, "taken");
			const { status, code, fields } = await problemOf(service, "POST", path(), { name: "taken" });
			assert.deepEqual([status, code, fields], [409, "application_role.name_taken", ["name"]]);
			const answers = await Promise.all(Array.from({ length: 50 }, () => create({ name: "race" })));
			assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
			assert.equal(answers.filter((answer) => answer.status === 409).length, 49);
		});
	});
});
