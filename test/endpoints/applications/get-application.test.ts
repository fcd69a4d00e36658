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
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/applications/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await addApplication(service, { slug: "one", access_policy: "open" })).id;
	});
	after(() => service.stop());

	describe("200", () => {
		it("answers the record to admins and auditors, the id in either case", async () => {
			for (const [token, path] of [
				[cast.admin, id],
				[cast.auditor.token, id.toUpperCase()],
			]) {
				const answer = await service.call("GET", `${APPLICATIONS}/${path}`, { token: token as string });
				assert.deepEqual([answer.status, answer.body.data.id, answer.body.data.slug], [200, id, "one"]);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", `${APPLICATIONS}/${id}`));
	});

	describe("403", () => {
		it("refuses reviewers and users without a role, also for an open application", () =>
			assertForbidden(service, [cast.reviewer, cast.plain], "GET", `${APPLICATIONS}/${id}`));
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${APPLICATIONS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${APPLICATIONS}/one` },
					{ token: cast.other.adminToken, path: `${APPLICATIONS}/${id}` },
				],
				"GET",
				"application.not_found",
			));
	});
});
