import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	API_CLIENTS,
	addApiClient,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("DELETE /api/v1/api-clients/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = `${API_CLIENTS}/${(await addApiClient(service)).id}`;
	});
	after(() => service.stop());

	describe("204", () => {
		it("deletes the client, refuses its requests at once, and audits it", async () => {
			const client = await addApiClient(service);
			const signed = async () => (await service.signed(client, "GET", "/api/v1/external/whoami")).status;
			assert.equal(await signed(), 200);
			const answer = await service.call("DELETE", `${API_CLIENTS}/${client.id}`, { token: cast.admin });
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal(await signed(), 401);
			const { action, details } = (await auditOf(service, `api_client:${client.id}`)).at(-1) ?? {};
			const { app_id, name, api_key } = client;
			assert.deepEqual([action, details], ["api_client.deleted", { app_id, name, api_key }]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "DELETE", path));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "DELETE", path);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", async () => {
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${API_CLIENTS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${API_CLIENTS}/x` },
					{ token: cast.other.adminToken, path },
				],
				"DELETE",
				"api_client.not_found",
			);
			assert.equal((await service.call("GET", path, { token: cast.admin })).status, 200);
		});

		it("refuses all but one of twenty simultaneous requests", async () => {
			const client = `${API_CLIENTS}/${(await addApiClient(service)).id}`;
			const answers = await Promise.all(
				Array.from({ length: 20 }, () => service.call("DELETE", client, { token: cast.admin })),
			);
			assert.equal(answers.filter(({ status }) => status === 204).length, 1);
			assert.equal(answers.filter(({ status }) => status === 404).length, 19);
		});
	});
});
