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
import { addGroup, putGroupGrant } from "../../harness/groups.ts";
import { addPerson } from "../../harness/people.ts";
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
			const named = [
				{ ...third, username: "auditor", display_name: "" },
				{ ...second, username: "reviewer", display_name: "" },
				{ ...first, username: "plain", display_name: "" },
			];
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.total, body.data], [200, 3, named]);
			}
			const { body } = await service.call("GET", `${path()}?page=2&page_size=2`, { token: cast.admin });
			assert.deepEqual(body, { data: [named[2]], total: 3, page: 2, page_size: 2 });
		});

		it("finds users and groups by a part of their names", async () => {
			const { id: ownId } = await addApplication(service);
			const token = cast.admin;
			const { id: personId } = await addPerson(service, "o_brien", { display_name: "Odd%Name" });
			await putGrant(service, ownId, personId);
			await putGrant(service, ownId, cast.plain.id);
			const group = await addGroup(service, [], { name: "Plain people" });
			const held = await putGroupGrant(service, ownId, group.id);
			const find = async (query: string) => {
				const { body } = await service.call("GET", `${path(ownId)}?${query}`, { token });
				return body.data.map(({ username, group_name }) => username ?? group_name);
			};
			assert.deepEqual(await find("q=PLAIN"), ["Plain people", "plain"]);
			assert.deepEqual(await find("q=d%25n"), ["o_brien"]);
			assert.deepEqual(await find("q=%25"), ["o_brien"]);
			assert.deepEqual(await find("kind=group"), ["Plain people"]);
			assert.deepEqual(await find("kind=user&q=plain"), ["plain"]);
			const { body } = await service.call("GET", `${path(ownId)}?kind=group`, { token });
			assert.deepEqual(body.data, [{ ...held, group_name: "Plain people" }]);
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			for (const [query, field] of [
				["page=1.5", "page"],
				["kind=role", "kind"],
			]) {
				const { status, fields } = await problemOf(service, "GET", `${path()}?${query}`);
				assert.deepEqual([status, fields], [400, [field]]);
			}
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
