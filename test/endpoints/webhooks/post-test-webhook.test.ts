import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
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
import {
	RECEIVER_NETWORK,
	startWebhookReceiver,
	verified,
	type WebhookReceiver,
} from "../../harness/webhook-receiver.ts";
import { readEventSchemas } from "../../harness/webhook-schema.ts";
import { addWebhook, deliveriesOf, eventually, getWebhook, WEBHOOKS } from "../../harness/webhooks.ts";

describe("POST /api/v1/webhooks/{id}/test", () => {
	let service: TestService;
	let receiver: WebhookReceiver;
	let cast: Cast;
	let webhook: Awaited<ReturnType<typeof addWebhook>>;
	let path: `${typeof WEBHOOKS}/${string}/test`;
	before(async () => {
		service = await startTestService({ env: { LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK } });
		cast = await addCast(service);
	});
	beforeEach(async () => {
		await receiver?.close();
		receiver = await startWebhookReceiver();
		webhook = await addWebhook(service, { url: `${receiver.url}/in`, event_types: ["grant.removed"] });
		path = `${WEBHOOKS}/${webhook.id}/test`;
	});
	after(async () => {
		await receiver.close();
		await service.stop();
	});

	const send = async () => {
		const answer = await service.call("POST", path, { token: cast.admin });
		assert.equal(answer.status, 202, JSON.stringify(answer.body));
		return answer.body.data;
	};
	const ended = async (id: string) => {
		const all = await eventually(
			() => deliveriesOf(service, webhook.id),
			(some) => some.find((one) => one.id === id)?.status !== "pending",
		);
		return all.find((one) => one.id === id) ?? assert.fail(`no delivery ${id}`);
	};

	describe("202", () => {
		it("sends a signed event to this webhook alone, whatever it subscribes to, and audits it", async () => {
			const bystander = await addWebhook(service, { url: `${receiver.url}/other`, event_types: ["user.*"] });
			const queued = await send();
			assert.deepEqual(
				[queued.webhook_id, queued.event_type, queued.status, queued.attempts],
				[webhook.id, "webhook.test", "pending", 0],
			);
			const [received, ...more] = await receiver.atLeast(1);
			assert.ok(received);
			assert.deepEqual([received.path, more.length], ["/in", 0]);
			assert.equal(received.headers["webhook-id"], queued.id);
			const payload = verified(received, webhook.secret);
			assert.deepEqual(payload, queued.payload);
			(await readEventSchemas(service)).assertMatches("webhook.test", received);
			const { webhook_id } = payload.data as { readonly webhook_id: string };
			assert.equal(webhook_id, webhook.id);
			assert.equal((await ended(queued.id)).status, "delivered");
			assert.deepEqual(await deliveriesOf(service, bystander.id), []);
			assert.equal((await deliveriesOf(service, webhook.id, "&event_type=webhook.test")).length, 1);
			const entry = (await auditOf(service, `webhook:${webhook.id}`)).at(-1);
			assert.deepEqual([entry?.action, entry?.details], ["webhook.tested", { delivery_id: queued.id }]);
		});

		it("attempts once, and a failure does not count against the webhook", async () => {
			receiver.answer(500);
			const { id } = await send();
			const { status, attempts, last_status_code, last_error, next_attempt_at } = await ended(id);
			assert.deepEqual(
				[status, attempts, last_status_code, last_error, next_attempt_at],
				["failed", 1, 500, "answered 500", null],
			);
			const { status: webhookStatus, failing_since } = await getWebhook(service, webhook.id);
			assert.deepEqual([webhookStatus, failing_since], ["active", null]);
		});

		it("a receiver that answers 410 disables the webhook", async () => {
			receiver.answer(410);
			assert.equal((await ended((await send()).id)).status, "failed");
			const { status, disabled_reason } = await getWebhook(service, webhook.id);
			assert.deepEqual([status, disabled_reason], ["disabled", "gone"]);
		});

		it("is sent again by a replay, with the same id", async () => {
			const { id } = await send();
			await ended(id);
			const replay = `${WEBHOOKS}/${webhook.id}/deliveries/${id}/replay` as const;
			assert.equal((await service.call("POST", replay, { token: cast.admin })).status, 202);
			const received = await receiver.atLeast(2);
			assert.deepEqual(
				received.map(({ headers }) => headers["webhook-id"]),
				[id, id],
			);
		});
	});

	describe("400", () => {
		it("nobody subscribes to tests", async () => {
			for (const type of ["webhook.test", "webhook.*"]) {
				const body = { url: webhook.url, event_types: [type] };
				const { status, fields } = await problemOf(service, "POST", WEBHOOKS, body);
				assert.equal(status, 400, type);
				assert.match(fields.join(), /^event_types/);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", path));
	});

	describe("403", () => {
		it("is for admins only", async () => {
			const { auditor, reviewer, plain } = cast;
			await assertForbidden(service, [auditor, reviewer, plain], "POST", path);
			assert.deepEqual(await deliveriesOf(service, webhook.id), []);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: `${WEBHOOKS}/${ABSENT_ID}/test` },
					{ token: cast.admin, path: `${WEBHOOKS}/x/test` },
					{ token: cast.other.adminToken, path },
				],
				"POST",
				"webhook.not_found",
			));
	});

	describe("409", () => {
		it("sends nothing to a disabled webhook", async () => {
			const body = { status: "disabled" };
			await service.call("PATCH", `${WEBHOOKS}/${webhook.id}`, { token: cast.admin, body });
			const { status, code } = await problemOf(service, "POST", path);
			assert.deepEqual([status, code], [409, "webhook.disabled"]);
			assert.deepEqual(await deliveriesOf(service, webhook.id), []);
		});
	});
});
