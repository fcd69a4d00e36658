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
import { addPerson, auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addWebhook, deliveriesOf, WEBHOOKS } from "../../harness/webhooks.ts";

describe("POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/replay", () => {
	let service: TestService;
	let cast: Cast;
	let path: `${typeof WEBHOOKS}/${string}/deliveries/${string}/replay`;
	let webhookId: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		const webhook = await addWebhook(service, { event_types: ["user.created"] });
		await addPerson(service, "reported");
		const [delivery] = await deliveriesOf(service, webhook.id);
		assert.ok(delivery);
		webhookId = webhook.id;
		path = `${WEBHOOKS}/${webhookId}/deliveries/${delivery.id}/replay`;
	});
	after(() => service.stop());

	const patch = (status: string) =>
		service.call("PATCH", `${WEBHOOKS}/${webhookId}`, { token: cast.admin, body: { status } });

	describe("202", () => {
		it("makes a failed delivery due again, and audits it", async () => {
			await patch("disabled");
			const [failed] = await deliveriesOf(service, webhookId);
			assert.ok(failed);
			assert.equal(failed.status, "failed");
			await patch("active");
			const answer = await service.call("POST", path, { token: cast.admin });
			assert.deepEqual([answer.status, answer.body], [202, undefined]);
			const [due] = await deliveriesOf(service, webhookId);
			assert.deepEqual([due?.id, due?.status, due?.finished_at], [failed.id, "pending", null]);
			assert.deepEqual(due?.payload, failed.payload);
			const entry = (await auditOf(service, `webhook:${webhookId}`)).at(-1);
			assert.deepEqual(
				[entry?.action, entry?.details],
				["webhook.delivery_replayed", { delivery_id: failed.id, event_type: "user.created" }],
			);
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
		it("answers absent, malformed and foreign ids alike", async () => {
			const [delivery] = await deliveriesOf(service, webhookId);
			assert.ok(delivery);
			const of = (webhook: string, id: string) => `${WEBHOOKS}/${webhook}/deliveries/${id}/replay`;
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: of(ABSENT_ID, delivery.id) },
					{ token: cast.admin, path: of("x", delivery.id) },
					{ token: cast.other.adminToken, path },
				],
				"POST",
				"webhook.not_found",
			);
			const another = await addWebhook(service);
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: of(webhookId, ABSENT_ID) },
					{ token: cast.admin, path: of(webhookId, "x") },
					{ token: cast.admin, path: of(another.id, delivery.id) },
				],
				"POST",
				"webhook_delivery.not_found",
			);
		});
	});

	describe("409", () => {
		it("sends nothing to a disabled webhook", async () => {
			await patch("disabled");
			const { status, code } = await problemOf(service, "POST", path);
			assert.deepEqual([status, code], [409, "webhook.disabled"]);
		});
	});
});
