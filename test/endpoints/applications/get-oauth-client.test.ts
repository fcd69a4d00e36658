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
import { putOAuthClient } from "../../harness/oauth-clients.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/applications/{id}/oauth-client", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await putOAuthClient(service)).client_id;
	});
	after(() => service.stop());

	const path = (appId = id) => `${APPLICATIONS}/${appId}/oauth-client` as const;

	describe("200", () => {
		it("answers the client to admins and auditors, without its secret", async () => {
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.data.client_id, body.data.type], [200, id, "web"]);
				assert.ok(!JSON.stringify(body).includes("ocs_"));
				assert.ok(!("client_secret" in body.data));
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
		it("answers absent, malformed and foreign applications alike", () =>
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

		it("says that an application is not connected", async () =>
			assertNotFound(
				service,
				[{ token: cast.admin, path: path((await addApplication(service)).id) }],
				"GET",
				"oauth_client.not_found",
			));
	});
});
