// Deliveries of a webhook: list them, replay one, send a test.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { addCast, problemOf } from "../../harness/access/applications.ts";
import { addPerson, auditOf, lastAuditOf } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import {
	RECEIVER_NETWORK,
	startWebhookReceiver,
	verified,
	type WebhookReceiver,
} from "../../harness/webhooks/webhook-receiver.ts";
import { readEventSchemas } from "../../harness/webhooks/webhook-schema.ts";
import {
	addWebhook,
	deliveriesOf,
	eventually,
	getWebhook,
	WEBHOOKS,
} from "../../harness/webhooks/webhooks.ts";

/** The payload of a delivery about a user. */
type UserEvent = {
	readonly type: string;
	readonly timestamp: string;
	readonly data: { readonly user_id: string };
};

const service = testService({ env: { LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK } });
const cast = fixture(() => addCast(service));

describe("GET /api/v1/webhooks/{id}/deliveries", () => {
	let path: `${typeof WEBHOOKS}/${string}/deliveries`;
	let webhookId: string;
	before(async () => {
		const { id } = await addWebhook(service, { event_types: ["user.*"] });
		path = `${WEBHOOKS}/${id}/deliveries`;
		webhookId = id;
	});

	describe("200", () => {
		it("returns sent and waiting deliveries in pages, newest first", async () => {
			assert.deepEqual(await deliveriesOf(service, webhookId), []);
			const first = await addPerson(service, "first.of.two");
			await addPerson(service, "second.of.two");
			const response = await service.call("GET", `${path}?page=2&page_size=1`, { token: cast.auditor.token });
			assert.equal(response.status, 200);
			const { data, ...counts } = response.body;
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

		it("filters by the time of the event: from is inclusive, to exclusive", async () => {
			const { id } = await addWebhook(service, { event_types: ["user.created"] });
			for (const name of ["earlier.event", "later.event"]) await addPerson(service, name);
			const [later, earlier] = await deliveriesOf(service, id);
			assert.ok(later !== undefined && earlier !== undefined);
			const ids = async (query: string) => (await deliveriesOf(service, id, query)).map(({ id }) => id);
			const at = encodeURIComponent(later.created_at);
			assert.deepEqual(await ids(`&from=${at}`), [later.id]);
			assert.deepEqual(await ids(`&to=${at}`), [earlier.id]);
			assert.deepEqual(await ids(`&from=${encodeURIComponent(earlier.created_at)}&to=${at}`), [earlier.id]);
			assert.deepEqual(await ids(`&from=${at}&status=pending`), [later.id]);
			assert.deepEqual(await ids(`&from=${at}&event_type=user.deleted`), []);
		});

		it("shows waiting deliveries as failed once the webhook is disabled", async () => {
			const { id } = await addWebhook(service, { event_types: ["user.created"] });
			await addPerson(service, "never.sent");
			await service.asAdmin("PATCH", `${WEBHOOKS}/${id}`, { status: "disabled" });
			await addPerson(service, "not.even.queued");
			const [delivery, ...more] = await deliveriesOf(service, id);
			assert.deepEqual(more, []);
			assert.deepEqual(
				[delivery?.status, delivery?.last_error, delivery?.next_attempt_at],
				["failed", "the webhook was disabled", null],
			);
		});
	});
});

describe("POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/replay", () => {
	let path: `${typeof WEBHOOKS}/${string}/deliveries/${string}/replay`;
	let webhookId: string;
	before(async () => {
		const webhook = await addWebhook(service, { event_types: ["user.created"] });
		await addPerson(service, "reported");
		const [delivery] = await deliveriesOf(service, webhook.id);
		assert.ok(delivery);
		webhookId = webhook.id;
		path = `${WEBHOOKS}/${webhookId}/deliveries/${delivery.id}/replay`;
	});

	const patch = (status: string) =>
		service.callAsAdmin("PATCH", `${WEBHOOKS}/${webhookId}`, { body: { status } });

	describe("202", () => {
		it("schedules a failed delivery again, and audits it", async () => {
			await patch("disabled");
			const [failed] = await deliveriesOf(service, webhookId);
			assert.ok(failed);
			assert.equal(failed.status, "failed");
			await patch("active");
			const response = await service.callAsAdmin("POST", path);
			assert.deepEqual([response.status, response.body], [202, undefined]);
			const [due] = await deliveriesOf(service, webhookId);
			assert.deepEqual([due?.id, due?.status, due?.finished_at], [failed.id, "pending", null]);
			assert.deepEqual(due?.payload, failed.payload);
			assert.deepEqual(await lastAuditOf(service, `webhook:${webhookId}`), [
				"webhook.delivery_replayed",
				{ delivery_id: failed.id, event_type: "user.created" },
			]);
		});
	});

	describe("404", () => {
		it("returns 404 for a delivery of another webhook, and for a webhook of another tenant", async () => {
			const { id: another } = await addWebhook(service);
			const { status, code } = await problemOf(service, "POST", path.replace(webhookId, another));
			assert.deepEqual([status, code], [404, "webhook_delivery.not_found"]);
			const foreign = await service.call("POST", path, { token: cast.other.adminToken });
			assert.equal(foreign.status, 404);
		});
	});

	describe("409", () => {
		it("returns 409 for a disabled webhook", async () => {
			await patch("disabled");
			const { status, code } = await problemOf(service, "POST", path);
			assert.deepEqual([status, code], [409, "webhook.disabled"]);
		});
	});
});

describe("GET /api/v1/webhooks/{id}/deliveries/{delivery_id}", () => {
	describe("200", () => {
		it("returns every attempt with how the refusals begin, oldest first", async () => {
			await using receiver = Object.assign(await startWebhookReceiver(), {
				[Symbol.asyncDispose]: () => receiver.close(),
			});
			const { id } = await addWebhook(service, { url: `${receiver.url}/in`, event_types: ["grant.removed"] });
			receiver.response((response) =>
				response.writeHead(500).end(`database\u0000 is locked\r\n${"é".repeat(2_000)}`),
			);
			const test = `${WEBHOOKS}/${id}/test` as const;
			const { id: deliveryId } = await service.asAdmin("POST", test);
			const path = `${WEBHOOKS}/${id}/deliveries/${deliveryId}` as const;
			const read = async () => (await service.call("GET", path, { token: cast.auditor.token })).body.data;
			const settled = (status: string) => eventually(read, (delivery) => delivery.status === status);
			await settled("failed");
			receiver.response((response) => response.writeHead(200).end("welcome"));
			await service.asAdmin("POST", `${path}/replay`);
			const { history, attempts, event_type } = await settled("delivered");
			assert.deepEqual([attempts, event_type], [2, "webhook.test"]);
			const [refused, accepted] = history;
			assert.deepEqual(
				history.map(({ status_code, error }) => [status_code, error]),
				[
					[500, "answered 500"],
					[200, ""],
				],
			);
			assert.match(refused?.answer ?? "", /^database\ufffd is locked\né+$/);
			assert.ok(Buffer.byteLength(refused?.answer ?? "") <= 1_024);
			assert.ok((refused?.ms ?? -1) >= 0 && (refused?.at ?? "") <= (accepted?.at ?? ""));
			assert.equal(accepted?.answer, "", "a success keeps nothing of the response");
		});
	});

	describe("404", () => {
		it("finds a delivery only through its webhook and tenant", async () => {
			const { id } = await addWebhook(service, { event_types: ["user.created"] });
			await addPerson(service, "of.one.webhook");
			const [delivery] = await deliveriesOf(service, id);
			const path = `${WEBHOOKS}/${id}/deliveries/${delivery?.id}` as const;
			assert.equal((await service.callAsAdmin("GET", path)).status, 200);
			assert.equal((await service.call("GET", path, { token: cast.other.adminToken })).status, 404);
			const { id: another } = await addWebhook(service);
			const { code } = await problemOf(service, "GET", path.replace(id, another));
			assert.equal(code, "webhook_delivery.not_found");
		});
	});
});

describe("POST /api/v1/webhooks/{id}/deliveries/replay", () => {
	let webhookId: string;
	let path: `${typeof WEBHOOKS}/${string}/deliveries/replay`;
	before(async () => {
		const webhook = await addWebhook(service, { event_types: ["user.created", "user.updated"] });
		webhookId = webhook.id;
		path = `${WEBHOOKS}/${webhookId}/deliveries/replay`;
		const { id } = await addPerson(service, "replayed.one");
		await addPerson(service, "replayed.two");
		await service.asAdmin("PATCH", `/api/v1/users/${id}`, { display_name: "Renamed" });
		await service.asAdmin("POST", `${WEBHOOKS}/${webhookId}/test`, {});
		await patch("disabled");
	});
	const patch = (status: "active" | "disabled") =>
		service.asAdmin("PATCH", `${WEBHOOKS}/${webhookId}`, { status });
	const replay = async (body: object) => (await service.asAdmin("POST", path, body)).replayed;

	describe("202", () => {
		it("schedules the failed deliveries of one event, then all others, and audits it", async () => {
			const others = await addWebhook(service, { event_types: ["user.created"] });
			await addPerson(service, "replayed.elsewhere");
			await service.asAdmin("PATCH", `${WEBHOOKS}/${others.id}`, { status: "disabled" });
			await service.asAdmin("PATCH", `${WEBHOOKS}/${others.id}`, { status: "active" });
			await patch("active");
			try {
				assert.equal(await replay({ event_type: "user.deleted" }), 0);
				assert.equal(await replay({ event_type: "user.created" }), 2);
				assert.deepEqual(await lastAuditOf(service, `webhook:${webhookId}`), [
					"webhook.delivery_replayed",
					{ deliveries: 2, event_type: "user.created" },
				]);
				assert.equal(await replay({}), 1);
				assert.equal(await replay({}), 0);
				const all = await deliveriesOf(service, webhookId);
				assert.equal(all.length, 4);
				assert.deepEqual(
					all.filter(({ status }) => status === "failed").map(({ event_type }) => event_type),
					["webhook.test"],
					"a test is not sent again",
				);
				assert.equal((await deliveriesOf(service, others.id, "&status=failed")).length, 1);
			} finally {
				await patch("disabled");
			}
		});

		it("schedules each delivery for one of two requests at once", async () => {
			await patch("active");
			try {
				const counts = await Promise.all([replay({}), replay({})]);
				assert.equal(counts[0] + counts[1], 3);
			} finally {
				await patch("disabled");
			}
		});
	});

	describe("409", () => {
		it("returns 409 for a disabled webhook", async () => {
			const { status, code } = await problemOf(service, "POST", path);
			assert.deepEqual([status, code], [409, "webhook.disabled"]);
		});
	});
});

describe("POST /api/v1/webhooks/{id}/test", () => {
	let receiver: WebhookReceiver;
	let webhook: Awaited<ReturnType<typeof addWebhook>>;
	let path: `${typeof WEBHOOKS}/${string}/test`;
	beforeEach(async () => {
		await receiver?.close();
		receiver = await startWebhookReceiver();
		webhook = await addWebhook(service, { url: `${receiver.url}/in`, event_types: ["grant.removed"] });
		path = `${WEBHOOKS}/${webhook.id}/test`;
	});
	after(() => receiver?.close());

	const send = () => service.asAdmin("POST", path);
	const ended = async (id: string) => {
		const all = await eventually(
			() => deliveriesOf(service, webhook.id),
			(some) => some.find((one) => one.id === id)?.status !== "pending",
		);
		return all.find((one) => one.id === id) ?? assert.fail(`no delivery ${id}`);
	};

	describe("202", () => {
		it("sends a signed event only to this webhook, regardless of its event types, and audits it", async () => {
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

		it("sends an example of each event, which concerns no record", async () => {
			const schemas = await readEventSchemas(service);
			for (const event_type of ["grant.created", "user.updated", "session.started"] as const) {
				const body = { event_type };
				const response = await service.callAsAdmin("POST", path, { body });
				assert.deepEqual([response.status, response.body.data.event_type], [202, "webhook.test"]);
				await ended(response.body.data.id);
				const received = receiver.received.at(-1) ?? assert.fail();
				const { type, data } = verified(received, webhook.secret) as { type: string; data: object };
				assert.deepEqual([type, "test" in data && data.test], [event_type, true]);
				schemas.assertMatches(event_type, received);
			}
			const entry = (await auditOf(service, `webhook:${webhook.id}`)).at(-1);
			assert.equal(entry?.details?.event_type, "session.started");
		});

		it("attempts once, and does not count a failure against the webhook", async () => {
			receiver.response(500);
			const { id } = await send();
			const { status, attempts, last_status_code, last_error, next_attempt_at } = await ended(id);
			assert.deepEqual(
				[status, attempts, last_status_code, last_error, next_attempt_at],
				["failed", 1, 500, "answered 500", null],
			);
			const { status: webhookStatus, failing_since } = await getWebhook(service, webhook.id);
			assert.deepEqual([webhookStatus, failing_since], ["active", null]);
		});

		it("disables the webhook when the receiver returns 410", async () => {
			receiver.response(410);
			assert.equal((await ended((await send()).id)).status, "failed");
			const { status, disabled_reason } = await getWebhook(service, webhook.id);
			assert.deepEqual([status, disabled_reason], ["disabled", "gone"]);
		});

		it("is repeated by a replay, with the same id", async () => {
			const { id } = await send();
			await ended(id);
			const replay = `${WEBHOOKS}/${webhook.id}/deliveries/${id}/replay` as const;
			assert.equal((await service.callAsAdmin("POST", replay)).status, 202);
			const received = await receiver.atLeast(2);
			assert.deepEqual(
				received.map(({ headers }) => headers["webhook-id"]),
				[id, id],
			);
		});
	});

	describe("409", () => {
		it("returns 409 for a disabled webhook", async () => {
			const body = { status: "disabled" };
			await service.asAdmin("PATCH", `${WEBHOOKS}/${webhook.id}`, body);
			const { status, code } = await problemOf(service, "POST", path);
			assert.deepEqual([status, code], [409, "webhook.disabled"]);
			assert.deepEqual(await deliveriesOf(service, webhook.id), []);
		});
	});
});
