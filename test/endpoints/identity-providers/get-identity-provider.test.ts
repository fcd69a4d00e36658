import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
} from "../../harness/applications.ts";
import { addProvider, IDENTITY_PROVIDERS } from "../../harness/identity-providers.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/identity-providers/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = `${IDENTITY_PROVIDERS}/${(await addProvider(service)).id}`;
	});
	after(() => service.stop());

	describe("200", () => {
		it("shows everything but the secret to admins and auditors", async () => {
			const provider = await addProvider(service, { sign_up: true });
			for (const token of [cast.admin, cast.auditor.token]) {
				const answer = await service.call("GET", `${IDENTITY_PROVIDERS}/${provider.id}`, { token });
				assert.deepEqual([answer.status, answer.body], [200, { data: provider }]);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path));
	});

	describe("403", () => {
		it("is for admins and auditors", () =>
			assertForbidden(service, [cast.reviewer, cast.plain], "GET", path));
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${IDENTITY_PROVIDERS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${IDENTITY_PROVIDERS}/corp` },
					{ token: cast.other.adminToken, path },
				],
				"GET",
				"identity_provider.not_found",
			));
	});
});
