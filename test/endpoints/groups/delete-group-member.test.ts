import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	addApplication,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
} from "../../harness/applications.ts";
import { addGroup, GROUPS, putGroupGrant } from "../../harness/groups.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("DELETE /api/v1/groups/{id}/members/{user_id}", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await addGroup(service)).id;
	});
	after(() => service.stop());

	const path = (of = id, user = cast.plain.id) => `${GROUPS}/${of}/members/${user}` as const;
	const total = async (of: string): Promise<number> =>
		(await service.call("GET", `${GROUPS}/${of}/members`, { token: cast.admin })).body.total;

	describe("204", () => {
		it("removes the user, and audits it", async () => {
			const group = await addGroup(service, [cast.plain.id, cast.reviewer.id]);
			const answer = await service.call("DELETE", path(group.id), { token: cast.admin });
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal(await total(group.id), 1);
			const audit = (await auditOf(service, `user:${cast.plain.id}`)).at(-1);
			assert.deepEqual(
				[audit?.action, audit?.details],
				["group_member.removed", { group_id: group.id, group_name: group.name }],
			);
		});

		it("removes the group's access immediately: a session ends at its next refresh", async () => {
			const { id: userId, username, password } = cast.plain;
			const app = await addApplication(service);
			const group = await addGroup(service, [userId]);
			await putGroupGrant(service, app.id, group.id);
			const body = { username, password, app_id: app.id };
			const login = await service.call("POST", "/api/v1/auth/login", { body });
			assert.equal(login.status, 200);
			await service.call("DELETE", path(group.id), { token: cast.admin });
			const { refresh_token } = login.body.data;
			const refresh = await service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token } });
			assert.equal(refresh.status, 403);
			assert.equal((await service.call("POST", "/api/v1/auth/login", { body })).status, 403);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "DELETE", path()));
	});

	describe("403", () => {
		it("is for admins only", () =>
			assertForbidden(service, [cast.auditor, cast.reviewer, cast.plain], "DELETE", path()));
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
				"DELETE",
				"group.not_found",
			));

		it("answers every user who is not in the group alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: path() },
					{ token: cast.admin, path: path(id, ABSENT_ID) },
					{ token: cast.admin, path: path(id, "x") },
					{ token: cast.admin, path: path(id, cast.other.adminId) },
				],
				"DELETE",
				"group_member.not_found",
			));
	});
});
