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
	putGrant,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("DELETE /api/v1/applications/{id}/grants/users/{user_id}", () => {
	let service: TestService;
	let cast: Cast;
	let appId: string;
	let userId: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		appId = (await addApplication(service)).id;
		userId = cast.plain.id;
		await addRole(service, appId, "viewer");
	});
	after(() => service.stop());

	const path = (app = appId, user = userId) => `${APPLICATIONS}/${app}/grants/users/${user}` as const;
	const remove = () => service.call("DELETE", path(), { token: cast.admin });

	describe("204", () => {
		it("removes the user's access to the application, and audits it", async () => {
			await putGrant(service, appId, userId, ["viewer"]);
			const seen = async (): Promise<number> =>
				(await service.call("GET", APPLICATIONS, { token: cast.plain.token })).body.total;
			assert.equal(await seen(), 1);
			const answer = await remove();
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal(await seen(), 0);
			const audit = (await auditOf(service, `user:${userId}`)).at(-1);
			assert.deepEqual([audit?.action, audit?.details.app_id], ["grant.removed", appId]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "DELETE", path()));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "DELETE", path());
		});
	});

	describe("404", () => {
		it("answers absent grants, absent objects and foreign objects alike", async () => {
			await putGrant(service, appId, userId);
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(appId, cast.auditor.id) },
					{ token: cast.admin, path: path(appId, ABSENT_ID) },
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.other.adminToken, path: path() },
				],
				"DELETE",
				"grant.not_found",
			);
			const [badApp, badUser] = [path("x"), path(appId, "x")].map((bad) => [
				{ token: cast.admin, path: bad },
			]);
			await assertNotFound(service, badApp ?? [], "DELETE", "application.not_found");
			await assertNotFound(service, badUser ?? [], "DELETE", "user.not_found");
			const answers = await Promise.all(Array.from({ length: 20 }, remove));
			assert.equal(answers.filter(({ status }) => status === 204).length, 1);
			assert.equal(answers.filter(({ status }) => status === 404).length, 19);
		});
	});
});
