import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
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
import { addGroup, putGroupGrant, removeMember } from "../../harness/groups.ts";
import { addPerson } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import type { DataOf } from "../../harness/wire-body.ts";

type Held = DataOf<"GET /api/v1/users/{id}/grants">[number];

describe("GET /api/v1/users/{id}/grants", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const path = (of = cast.plain.id) => `/api/v1/users/${of}/grants` as const;
	const sourceOf = ({ app_name, group_name, roles }: Held) => [app_name, group_name, roles];

	describe("200", () => {
		it("answers own grants and those of groups, with application, group and roles, newest first", async () => {
			const desk = await addApplication(service, { name: "Desk" });
			const wiki = await addApplication(service, { name: "Wiki" });
			for (const role of ["reader", "editor"]) await addRole(service, desk.id, role);
			await addRole(service, wiki.id, "author");
			const sales = await addGroup(service, [cast.plain.id, cast.reviewer.id], { name: "Sales" });
			const night = await addGroup(service, [cast.plain.id], { name: "Night" });
			const without = await addGroup(service, [cast.reviewer.id], { name: "Without" });
			const direct = await putGrant(service, desk.id, cast.plain.id, ["reader", "editor"]);
			service.clock.advance(1_000);
			const bySales = await putGroupGrant(service, desk.id, sales.id, ["editor"]);
			service.clock.advance(1_000);
			await putGroupGrant(service, wiki.id, night.id, ["author"]);
			service.clock.advance(1_000);
			await putGroupGrant(service, wiki.id, sales.id);
			await putGroupGrant(service, wiki.id, without.id);
			await putGrant(service, wiki.id, cast.reviewer.id);
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.total], [200, 4]);
				assert.deepEqual(body.data.map(sourceOf), [
					["Wiki", "Sales", []],
					["Wiki", "Night", ["author"]],
					["Desk", "Sales", ["editor"]],
					["Desk", null, ["editor", "reader"]],
				]);
				const [, , third, last] = body.data;
				assert.deepEqual(last, {
					id: direct.id,
					app_id: desk.id,
					app_name: "Desk",
					group_id: null,
					group_name: null,
					roles: ["editor", "reader"],
					created_at: direct.created_at,
					updated_at: direct.updated_at,
				});
				assert.deepEqual([third?.id, third?.group_id], [bySales.id, sales.id]);
			}
			const paged = await service.call("GET", `${path()}?page=2&page_size=3`, { token: cast.admin });
			assert.deepEqual(
				[paged.body.total, paged.body.data.map(sourceOf)],
				[4, [["Desk", null, ["editor", "reader"]]]],
			);
			await removeMember(service, sales.id, cast.plain.id);
			const after = await service.call("GET", path(), { token: cast.admin });
			assert.deepEqual(
				after.body.data.map(({ group_name }) => group_name),
				["Night", null],
			);
		});

		it("answers an empty page for a user without grants", async () => {
			const { id } = await addPerson(service, "nobody-yet");
			const { body } = await service.call("GET", path(id), { token: cast.admin });
			assert.deepEqual([body.data, body.total], [[], 0]);
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			const { status, fields } = await problemOf(service, "GET", `${path()}?page=0`);
			assert.deepEqual([status, fields], [400, ["page"]]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path()));
	});

	describe("403", () => {
		it("is not for others, not even for the user", () =>
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
				"user.not_found",
			));
	});
});
