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
import { addGroup, GROUPS, putGroupGrant } from "../../harness/groups.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/groups/{id}/grants", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await addGroup(service)).id;
	});
	after(() => service.stop());

	const path = (of = id) => `${GROUPS}/${of}/grants` as const;

	describe("200", () => {
		it("answers what the group may use, newest first, to admins and auditors", async () => {
			const shop = await addApplication(service, { name: "Shop" });
			const desk = await addApplication(service, { name: "Desk" });
			await addRole(service, shop.id, "viewer");
			await addRole(service, shop.id, "editor");
			const first = await putGroupGrant(service, shop.id, id, ["viewer", "editor"]);
			service.clock.advance(1_000);
			const second = await putGroupGrant(service, desk.id, id);
			await putGroupGrant(service, desk.id, (await addGroup(service)).id);
			await putGrant(service, shop.id, cast.plain.id);
			const inWords = ({ group_id: _, ...grant }: typeof first, app_name: string) => ({
				...grant,
				app_name,
			});
			const expected = [inWords(second, "Desk"), inWords(first, "Shop")];
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.total, body.data], [200, 2, expected]);
			}
			const { body } = await service.call("GET", `${path()}?page=2&page_size=1`, { token: cast.admin });
			assert.deepEqual([body.data, body.total], [[expected[1]], 2]);
		});
	});

	describe("400", () => {
		it("names the parameter that is wrong", async () => {
			const { status, fields } = await problemOf(service, "GET", `${path()}?page_size=0`);
			assert.deepEqual([status, fields], [400, ["page_size"]]);
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
