import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addWebhook, getWebhook, WEBHOOKS } from "../../harness/webhooks.ts";

const MONTH_SECONDS = 30 * 86_400;

describe("POST /api/v1/webhooks/{id}/rotate-secret", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = `${WEBHOOKS}/${(await addWebhook(service)).id}/rotate-secret`;
	});
	after(() => service.stop());

	describe("200", () => {
		it("sets a new secret, shown once; both sign for a day by default", async () => {
			const webhook = await addWebhook(service);
			const answer = await service.call("POST", `${WEBHOOKS}/${webhook.id}/rotate-secret`, {
				token: cast.admin,
			});
			assert.deepEqual([answer.status, answer.headers["cache-control"]], [200, "no-store"]);
			const { secret, ...shown } = answer.body.data;
			assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
			assert.notEqual(secret, webhook.secret);
			assert.equal(shown.secret_hint, secret.slice(-4));
			const overlap =
				Date.parse(String(shown.previous_secret_expires_at)) - Date.parse(shown.secret_created_at);
			assert.equal(overlap, 86_400_000);
			assert.deepEqual(await getWebhook(service, webhook.id), shown);
			const entry = (await auditOf(service, `webhook:${webhook.id}`)).at(-1);
			assert.deepEqual(
				[entry?.action, entry?.details],
				["webhook.secret_rotated", { previous_secret_expires_at: shown.previous_secret_expires_at }],
			);
		});

		it("ends the old one at once when there is no overlap", async () => {
			const { id } = await addWebhook(service);
			const body = { overlap_seconds: 0 };
			const answer = await service.call("POST", `${WEBHOOKS}/${id}/rotate-secret`, {
				token: cast.admin,
				body,
			});
			assert.equal(answer.body.data.previous_secret_expires_at, null);
		});

		it("serves callers at the same moment one after the other", async () => {
			const { id } = await addWebhook(service);
			const answers = await Promise.all(
				Array.from({ length: 20 }, () =>
					service.call("POST", `${WEBHOOKS}/${id}/rotate-secret`, { token: cast.admin }),
				),
			);
			assert.equal(new Set(answers.map(({ body }) => body.data.secret)).size, 20);
			assert.equal((await auditOf(service, `webhook:${id}`)).length, 21);
		});
	});

	describe("400", () => {
		it("names the limit of the overlap", async () => {
			for (const overlap_seconds of [-1, MONTH_SECONDS + 1, 1.5, "60", null]) {
				const { status, fields } = await problemOf(service, "POST", path, { overlap_seconds });
				assert.deepEqual([status, fields], [400, ["overlap_seconds"]], String(overlap_seconds));
			}
			assert.equal((await problemOf(service, "POST", path, { overlap_seconds: MONTH_SECONDS })).status, 200);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", path));
	});

	describe("403", () => {
		it("is for admins only", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", path);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${WEBHOOKS}/${ABSENT_ID}/rotate-secret` },
					{ token: cast.admin, path: `${WEBHOOKS}/x/rotate-secret` },
					{ token: cast.other.adminToken, path },
				],
				"POST",
				"webhook.not_found",
			));
	});
});
