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
import { auditOf, isAlive } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("DELETE /api/v1/groups/{id}", () => {
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

	describe("204", () => {
		it("deletes memberships and grants, keeps the users, and audits the counts", async () => {
			const { plain, reviewer } = cast;
			const app = await addApplication(service);
			const group = await addGroup(service, [plain.id, reviewer.id]);
			await putGroupGrant(service, app.id, group.id);
			const seen = async () => (await service.call("GET", APPLICATIONS, { token: plain.token })).body.total;
			assert.equal(await seen(), 1);
			const answer = await service.call("DELETE", path(group.id), { token: cast.admin });
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal(await seen(), 0);
			assert.equal(await isAlive(service, plain.token), true);
			const grants = await service.call("GET", `${APPLICATIONS}/${app.id}/grants`, {
				token: cast.admin,
			});
			assert.equal(grants.body.total, 0);
			const audit = (await auditOf(service, `group:${group.id}`)).at(-1);
			assert.deepEqual(
				[audit?.action, audit?.details],
				["group.deleted", { name: group.name, members: 2, grants: 1 }],
			);
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

		it("is the answer the second time", async () => {
			const group = await addGroup(service);
			const remove = () => service.call("DELETE", path(group.id), { token: cast.admin });
			const answers = await Promise.all(Array.from({ length: 20 }, remove));
			assert.equal(answers.filter(({ status }) => status === 204).length, 1);
			assert.equal(answers.filter(({ status }) => status === 404).length, 19);
		});
	});
});
