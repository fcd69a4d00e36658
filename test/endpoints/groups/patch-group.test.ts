import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { addGroup, GROUPS } from "../../harness/groups.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("PATCH /api/v1/groups/{id}", () => {
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
	const patch = (body: unknown, of = id) => service.call("PATCH", path(of), { token: cast.admin, body });

	describe("200", () => {
		it("changes the given fields, keeps the others, and audits it", async () => {
			const group = await addGroup(service, [], { description: "before" });
			service.clock.advance(1_000);
			const { status, body } = await patch({ name: "After", id: "x" }, group.id);
			assert.equal(status, 200);
			assert.ok(body.data.updated_at > group.updated_at);
			assert.deepEqual(body.data, { ...group, name: "After", updated_at: body.data.updated_at });
			assert.equal((await patch({ description: "" }, group.id)).body.data.description, "");
			assert.deepEqual(
				(await auditOf(service, `group:${group.id}`)).map(({ action, details }) => [action, details]),
				[
					["group.created", { name: group.name }],
					["group.updated", { fields: ["name"], name: "After" }],
					["group.updated", { fields: ["description"] }],
				],
			);
		});

		it("writes nothing when nothing differs; allows a change of case in its own name", async () => {
			const group = await addGroup(service, [], { name: "Mine" });
			service.clock.advance(1_000);
			assert.deepEqual((await patch({ name: "Mine" }, group.id)).body.data, group);
			assert.deepEqual((await patch({}, group.id)).body.data, group);
			assert.equal((await auditOf(service, `group:${group.id}`)).length, 1);
			assert.equal((await patch({ name: "MINE" }, group.id)).body.data.name, "MINE");
		});
	});

	describe("400", () => {
		it("names every field that is wrong", async () => {
			const body = { name: " ", description: "x".repeat(501) };
			const problem = await problemOf(service, "PATCH", path(), body);
			assert.deepEqual([problem.status, problem.fields.sort()], [400, ["description", "name"]]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PATCH", path(), {}));
	});

	describe("403", () => {
		it("is for admins only", () =>
			assertForbidden(service, [cast.auditor, cast.reviewer, cast.plain], "PATCH", path(), {}));
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
				"PATCH",
				"group.not_found",
				{ name: "New" },
			));
	});

	describe("409", () => {
		it("refuses the name of another group", async () => {
			await addGroup(service, [], { name: "Taken" });
			const { status, code, fields } = await problemOf(service, "PATCH", path(), { name: "tAKEN" });
			assert.deepEqual([status, code, fields], [409, "group.name_taken", ["name"]]);
		});
	});
});
