import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
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

describe("PUT /api/v1/groups/{id}/members/{user_id}", () => {
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
		it("adds the user once for many simultaneous requests, and audits it", async () => {
			const group = await addGroup(service);
			const put = () => service.call("PUT", path(group.id), { token: cast.admin });
			const answers = await Promise.all(Array.from({ length: 30 }, put));
			assert.ok(answers.every(({ status, body }) => status === 204 && body === undefined));
			assert.equal(await total(group.id), 1);
			const audited = (await auditOf(service, `user:${cast.plain.id}`)).filter(
				({ action, details }) => action === "group_member.added" && details.group_id === group.id,
			);
			assert.deepEqual(
				audited.map(({ details }) => details),
				[{ group_id: group.id, group_name: group.name }],
			);
		});

		it("gives the grants of the group immediately", async () => {
			const app = await addApplication(service);
			const group = await addGroup(service);
			await putGroupGrant(service, app.id, group.id);
			const names = async () =>
				(await service.call("GET", APPLICATIONS, { token: cast.reviewer.token })).body.total;
			const login = async () => {
				const { username, password } = cast.plain;
				const body = { username, password, app_id: app.id };
				return (await service.call("POST", "/api/v1/auth/login", { body })).status;
			};
			assert.equal(await names(), 1);
			assert.equal(await login(), 403);
			await service.call("PUT", path(group.id), { token: cast.admin });
			assert.equal(await login(), 200);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PUT", path()));
	});

	describe("403", () => {
		it("is for admins only", () =>
			assertForbidden(service, [cast.auditor, cast.reviewer, cast.plain], "PUT", path()));
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", async () => {
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("x") },
					{ token: cast.other.adminToken, path: path() },
					{ token: cast.other.adminToken, path: path(id, cast.other.adminId) },
				],
				"PUT",
				"group.not_found",
			);
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(id, ABSENT_ID) },
					{ token: cast.admin, path: path(id, "x") },
					{ token: cast.admin, path: path(id, cast.other.adminId) },
				],
				"PUT",
				"user.not_found",
			);
			assert.equal(await total(id), 0);
		});
	});
});
