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
import { addPerson } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import { addWebhook, deliveriesOf, WEBHOOKS } from "../../harness/webhooks.ts";

/** The payload of a delivery about a user. */
type UserEvent = {
	readonly type: string;
	readonly timestamp: string;
	readonly data: { readonly user_id: string };
};

describe("GET /api/v1/webhooks/{id}/deliveries", () => {
	let service: TestService;
	let cast: Cast;
	let path: `${typeof WEBHOOKS}/${string}/deliveries`;
	let webhookId: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		const { id } = await addWebhook(service, { event_types: ["user.*"] });
		path = `${WEBHOOKS}/${id}/deliveries`;
		webhookId = id;
	});
	after(() => service.stop());

	describe("200", () => {
		it("pages through sent and waiting deliveries, newest first", async () => {
			assert.deepEqual(await deliveriesOf(service, webhookId), []);
			const first = await addPerson(service, "first.of.two");
			await addPerson(service, "second.of.two");
			const answer = await service.call("GET", `${path}?page=2&page_size=1`, { token: cast.auditor.token });
			assert.equal(answer.status, 200);
			const { data, ...counts } = answer.body;
			assert.deepEqual(counts, { total: 2, page: 2, page_size: 1 });
			const [delivery] = data;
			assert.ok(delivery);
			const { type, timestamp, data: event } = delivery.payload as UserEvent;
			assert.deepEqual([type, event.user_id], ["user.created", first.id]);
			assert.deepEqual(
				[delivery.webhook_id, delivery.event_type, delivery.status, delivery.created_at],
				[webhookId, "user.created", "pending", timestamp],
			);
			assert.match(delivery.id, /^[0-9a-f-]{36}$/);
			assert.deepEqual([delivery.finished_at, delivery.last_status_code], [null, null]);
			assert.equal((await deliveriesOf(service, webhookId, "&status=delivered")).length, 0);
			assert.equal((await deliveriesOf(service, webhookId, "&event_type=user.created")).length, 2);
			assert.equal((await deliveriesOf(service, webhookId, "&event_type=user.deleted")).length, 0);
		});

		it("shows waiting deliveries as failed once the webhook is disabled", async () => {
			const { id } = await addWebhook(service, { event_types: ["user.created"] });
			await addPerson(service, "never.sent");
			await service.call("PATCH", `${WEBHOOKS}/${id}`, { token: cast.admin, body: { status: "disabled" } });
			await addPerson(service, "not.even.queued");
			const [delivery, ...more] = await deliveriesOf(service, id);
			assert.deepEqual(more, []);
			assert.deepEqual(
				[delivery?.status, delivery?.last_error, delivery?.next_attempt_at],
				["failed", "the webhook was disabled", null],
			);
		});
	});

	describe("400", () => {
		it("names the parameter", async () => {
			for (const [query, field] of [
				["status=due", "status"],
				["event_type=user.*", "event_type"],
				["page_size=0", "page_size"],
			] as const) {
				const { status, fields } = await problemOf(service, "GET", `${path}?${query}`);
				assert.deepEqual([status, fields], [400, [field]], query);
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
					{ token: cast.admin, path: `${WEBHOOKS}/${ABSENT_ID}/deliveries` },
					{ token: cast.admin, path: `${WEBHOOKS}/x/deliveries` },
					{ token: cast.other.adminToken, path },
				],
				"GET",
				"webhook.not_found",
			));
	});
});
