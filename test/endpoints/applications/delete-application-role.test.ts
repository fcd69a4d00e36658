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

describe("DELETE /api/v1/applications/{id}/roles/{role_id}", () => {
	let service: TestService;
	let cast: Cast;
	let appId: string;
	let roleId: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		appId = (await addApplication(service)).id;
		roleId = (await addRole(service, appId, "standing")).id;
	});
	after(() => service.stop());

	const path = (role = roleId, app = appId) => `${APPLICATIONS}/${app}/roles/${role}` as const;

	describe("204", () => {
		it("removes the role from the grants that include it, and audits it", async () => {
			const role = await addRole(service, appId, "doomed");
			await putGrant(service, appId, cast.plain.id, ["doomed", "standing"]);
			const answer = await service.call("DELETE", path(role.id), { token: cast.admin });
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			const grants = await service.call("GET", `${APPLICATIONS}/${appId}/grants`, { token: cast.admin });
			assert.deepEqual(grants.body.data[0]?.roles, ["standing"]);
			const audit = (await auditOf(service, `application_role:${role.id}`)).at(-1);
			assert.deepEqual(
				[audit?.action, audit?.details],
				["application_role.deleted", { app_id: appId, name: "doomed" }],
			);
			assert.equal((await service.call("DELETE", path(role.id), { token: cast.admin })).status, 404);
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
		it("answers absent and malformed ids, and roles of other applications and tenants alike", async () => {
			const elsewhere = (await addApplication(service)).id;
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("x") },
					{ token: cast.admin, path: path(roleId, elsewhere) },
					{ token: cast.admin, path: path(roleId, ABSENT_ID) },
					{ token: cast.other.adminToken, path: path() },
				],
				"DELETE",
				"application_role.not_found",
			);
			const malformed = [{ token: cast.admin, path: path(roleId, "x") }];
			await assertNotFound(service, malformed, "DELETE", "application.not_found");
			const roles = await service.call("GET", `${APPLICATIONS}/${appId}/roles`, { token: cast.admin });
			assert.equal(roles.body.total, 1);
		});
	});
});
