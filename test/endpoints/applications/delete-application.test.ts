import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	API_CLIENTS,
	APPLICATIONS,
	addApiClient,
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

describe("DELETE /api/v1/applications/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await addApplication(service)).id;
	});
	after(() => service.stop());

	describe("204", () => {
		it("deletes roles, grants and API clients as well, and audits their numbers", async () => {
			const app = await addApplication(service, { name: "Doomed", slug: "doomed" });
			const kept = await addApiClient(service, { app_id: id });
			await addRole(service, app.id, "a");
			await addRole(service, app.id, "b");
			await putGrant(service, app.id, cast.plain.id, ["a"]);
			const client = await addApiClient(service, { app_id: app.id });

			const answer = await service.call("DELETE", `${APPLICATIONS}/${app.id}`, { token: cast.admin });
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			const get = async (path: string) => (await service.call("GET", path, { token: cast.admin })).status;
			assert.equal(await get(`${APPLICATIONS}/${app.id}`), 404);
			assert.equal(await get(`${APPLICATIONS}/${app.id}/roles`), 404);
			assert.equal(await get(`${APPLICATIONS}/${app.id}/grants`), 404);
			assert.equal(await get(`${API_CLIENTS}/${client.id}`), 404);
			assert.equal(await get(`${API_CLIENTS}/${kept.id}`), 200);
			assert.deepEqual((await auditOf(service, `application:${app.id}`)).at(-1), {
				...(await auditOf(service, `application:${app.id}`))[0],
				action: "application.deleted",
				details: { name: "Doomed", slug: "doomed", roles: 2, grants: 1, api_clients: 1 },
			});
		});

		it("releases the slug", async () => {
			const app = await addApplication(service, { slug: "again" });
			await service.call("DELETE", `${APPLICATIONS}/${app.id}`, { token: cast.admin });
			assert.notEqual((await addApplication(service, { slug: "again" })).id, app.id);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "DELETE", `${APPLICATIONS}/${id}`));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "DELETE", `${APPLICATIONS}/${id}`);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", async () => {
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${APPLICATIONS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${APPLICATIONS}/x` },
					{ token: cast.other.adminToken, path: `${APPLICATIONS}/${id}` },
				],
				"DELETE",
				"application.not_found",
			);
			const answer = await service.call("GET", `${APPLICATIONS}/${id}`, { token: cast.admin });
			assert.equal(answer.status, 200);
		});

		it("refuses all but one of twenty simultaneous requests, and writes one audit entry", async () => {
			const app = await addApplication(service);
			const path = `${APPLICATIONS}/${app.id}`;
			const answers = await Promise.all(
				Array.from({ length: 20 }, () => service.call("DELETE", path, { token: cast.admin })),
			);
			assert.equal(answers.filter(({ status }) => status === 204).length, 1);
			assert.equal(answers.filter(({ status }) => status === 404).length, 19);
			assert.equal((await auditOf(service, `application:${app.id}`)).length, 2);
		});
	});
});
