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
import { startTestService, type TestService } from "../../harness/service.ts";
import { addWebhook, WEBHOOKS } from "../../harness/webhooks.ts";

describe("GET /api/v1/webhooks/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = `${WEBHOOKS}/${(await addWebhook(service)).id}`;
	});
	after(() => service.stop());

	describe("200", () => {
		it("shows the webhook to admins and auditors, without its secret", async () => {
			const { secret, ...shown } = await addWebhook(service);
			for (const token of [cast.admin, cast.auditor.token]) {
				const answer = await service.call("GET", `${WEBHOOKS}/${shown.id}`, { token });
				assert.deepEqual([answer.status, answer.body.data], [200, shown]);
				assert.ok(!JSON.stringify(answer.body).includes(secret));
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", path));
	});

	describe("403", () => {
		it("is for admins and auditors", () => {
			const { reviewer, plain } = cast;
			return assertForbidden(service, [reviewer, plain], "GET", path);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${WEBHOOKS}/${ABSENT_ID}` },
					{ token: cast.admin, path: `${WEBHOOKS}/x` },
					{ token: cast.other.adminToken, path },
				],
				"GET",
				"webhook.not_found",
			));
	});
});
