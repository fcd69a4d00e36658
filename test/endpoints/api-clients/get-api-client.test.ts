import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { decide, submit } from "../../harness/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	addApiClient,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	type CreatedClient,
} from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/api-clients/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	let client: CreatedClient;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		client = await addApiClient(service);
		path = `${API_CLIENTS}/${client.id}`;
	});
	after(() => service.stop());

	describe("200", () => {
		it("answers the record without its Secret to admins and auditors", async () => {
			const { secret: _, ...expected } = client;
			for (const token of [cast.admin, cast.auditor.token]) {
				const answer = await service.call("GET", path, { token });
				assert.deepEqual([answer.status, answer.body], [200, { data: expected }]);
			}
			assert.deepEqual([client.owner_name, client.owner_email, client.purpose], [null, null, null]);
		});

		it("shows the applicant and the purpose of the access request", async () => {
			const request = await submit(service, { applicant_name: "Grace", purpose: "To count\nships." });
			const { api_client_id } = await decide(service, request.id, "approve");
			const { body } = await service.call("GET", `${API_CLIENTS}/${api_client_id}`, { token: cast.admin });
			const { owner_name, owner_email, purpose } = body.data;
			assert.deepEqual([owner_name, owner_email, purpose], ["Grace", request.email, "To count\nships."]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path));
	});

	describe("403", () => {
		it("refuses reviewers and users without a role", () =>
			assertForbidden(service, [cast.reviewer, cast.plain], "GET", path));
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${API_CLIENTS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${API_CLIENTS}/Validate` },
					{ token: cast.other.adminToken, path },
				],
				"GET",
				"api_client.not_found",
			));
	});
});
