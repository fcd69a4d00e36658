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
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addWebhook, WEBHOOKS } from "../../harness/webhooks.ts";

describe("DELETE /api/v1/webhooks/{id}", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = `${WEBHOOKS}/${(await addWebhook(service)).id}`;
	});
	after(() => service.stop());

	describe("204", () => {
		it("takes the webhook away, and audits it", async () => {
			const { id } = await addWebhook(service);
			const remove = () => service.call("DELETE", `${WEBHOOKS}/${id}`, { token: cast.admin });
			const answer = await remove();
			assert.deepEqual([answer.status, answer.body], [204, undefined]);
			assert.equal((await remove()).status, 404);
			const entry = (await auditOf(service, `webhook:${id}`)).at(-1);
			assert.deepEqual(
				[entry?.action, entry?.details],
				["webhook.deleted", { host: "hooks.partner.example" }],
			);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "DELETE", path));
	});

	describe("403", () => {
		it("is for admins only", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "DELETE", path);
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
				"DELETE",
				"webhook.not_found",
			));
	});
});
