import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { addApiClient, addApplication, putGrant } from "./harness/access/applications.ts";
import { addPerson, auditOf } from "./harness/people/people.ts";
import { startTestService, type TestService } from "./harness/service/service.ts";
import type { DataOf } from "./harness/service/wire-body.ts";
import {
	RECEIVER_NETWORK,
	startWebhookReceiver,
	verified,
	type WebhookReceiver,
} from "./harness/webhooks/webhook-receiver.ts";
import { addWebhook, deliveriesOf, eventually, getWebhook, WEBHOOKS } from "./harness/webhooks/webhooks.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Delivery = DataOf<"GET /api/v1/webhooks/{id}/deliveries">[number];

describe("webhook deliveries", () => {
	let service: TestService;
	let receiver: WebhookReceiver;
	before(async () => {
		service = await startTestService({ env: { LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK } });
	});
	beforeEach(async () => {
		await receiver?.close();
		receiver = await startWebhookReceiver();
	});
	after(async () => {
		await receiver.close();
		await service.stop();
	});

	const admin = async <const M extends string, const P extends string>(
		method: M,
		path: P,
		body?: unknown,
	) => {
		const answer = await service.call(method, path, { token: await service.adminToken(), body });
		assert.ok(answer.status < 300, JSON.stringify(answer.body));
		return answer.body;
	};
	const subscribe = (...event_types: string[]) =>
		addWebhook(service, { url: `${receiver.url}/in?key=value`, event_types });
	/** Waits until the first delivery satisfies the condition. */
	const firstDelivery = async (id: string, will: (delivery: Delivery) => boolean): Promise<Delivery> => {
		const [first] = await eventually(
			() => deliveriesOf(service, id),
			([one]) => one !== undefined && will(one),
		);
		assert.ok(first);
		return first;
	};
	const only = async (id: string, status: string): Promise<Delivery> => {
		const [delivery] = await eventually(
			() => deliveriesOf(service, id),
			(all) => all.length === 1 && all[0]?.status === status,
		);
		assert.ok(delivery);
		return delivery;
	};
	/** Deletes the webhook of a finished test, so that it does not affect later tests. */
	const end = (id: string) => admin("DELETE", `${WEBHOOKS}/${id}`);

	it("describe the event in the format of Standard Webhooks, with ids and without personal data", async () => {
		const webhook = await subscribe("user.*");
		const person = await addPerson(service, "amira.haddad", { display_name: "Amira Haddad" });
		const [received] = await receiver.atLeast(1);
		assert.ok(received);
		assert.equal(received.path, "/in?key=value");
		assert.equal(received.headers["content-type"], "application/json");
		const payload = verified(received, webhook.secret);
		const { timestamp, ...rest } = payload;
		const { data: me } = await admin("GET", "/api/v1/users/me");
		assert.deepEqual(rest, {
			type: "user.created",
			data: { tenant_id: me.tenant_id, actor: `user:${me.id}`, status: "active", user_id: person.id },
		});
		const events = await admin("GET", `/api/v1/audit-events?target=user:${person.id}&action=user.created`);
		const [event] = events.data;
		assert.ok(event);
		assert.equal(received.headers["webhook-id"], event.id);
		assert.equal(timestamp, event.at);
		assert.doesNotMatch(received.body, /amira|haddad/i);
		const delivery = await only(webhook.id, "delivered");
		assert.deepEqual(
			[delivery.attempts, delivery.last_status_code, delivery.last_error, delivery.next_attempt_at],
			[1, 204, "", null],
		);
		assert.deepEqual(delivery.payload, payload);
		await end(webhook.id);
	});

	it("are sent for every subscribed type, and for no other", async () => {
		const webhook = await subscribe("session.started", "api_client.*", "grant.*");
		const person = await addPerson(service, "event.maker");
		const app = await addApplication(service);
		await putGrant(service, app.id, person.id);
		await admin("DELETE", `/api/v1/applications/${app.id}/grants/users/${person.id}`);
		const client = await addApiClient(service, { app_id: app.id });
		await admin("POST", `/api/v1/api-clients/${client.id}/regenerate-secret`, {});
		const received = await receiver.atLeast(5);
		const payloads = received.map((one) => verified(one, webhook.secret));
		assert.deepEqual(payloads.map(({ type }) => type).sort(), [
			"api_client.created",
			"api_client.secret_regenerated",
			"grant.created",
			"grant.removed",
			"session.started",
		]);
		const { data } = payloads.find(({ type }) => type === "grant.created");
		assert.deepEqual([data.user_id, data.app_id], [person.id, app.id]);
		const session = payloads.find(({ type }) => type === "session.started").data;
		assert.match(session.session_id, /^[0-9a-f-]{36}$/);
		for (const { body } of received)
			assert.ok(!body.includes(client.secret) && !body.includes("event.maker"));
		await end(webhook.id);
	});

	it("have two signatures during a rotation, and one after it", async () => {
		const webhook = await subscribe("user.*");
		const rotated = await admin("POST", `${WEBHOOKS}/${webhook.id}/rotate-secret`, { overlap_seconds: 60 });
		const { secret } = rotated.data;
		await addPerson(service, "rotation.first");
		const [first] = await receiver.atLeast(1);
		assert.ok(first);
		assert.equal(String(first.headers["webhook-signature"]).split(" ").length, 2);
		assert.deepEqual(verified(first, secret), verified(first, webhook.secret));
		await only(webhook.id, "delivered");
		service.clock.advance(61_000);
		await addPerson(service, "rotation.second");
		const [, second] = await receiver.atLeast(2);
		assert.ok(second);
		assert.equal(verified(second, secret).type, "user.created");
		assert.throws(() => verified(second, webhook.secret));
		await end(webhook.id);
	});

	it("are retried with the same id and body, a later time, and a new signature, until one is accepted", async () => {
		receiver.response((response, _received, count) => void response.writeHead(count < 3 ? 500 : 200).end());
		const webhook = await subscribe("user.*");
		await addPerson(service, "unlucky");
		for (const attempt of [1, 2]) {
			await receiver.atLeast(attempt);
			const tried = await firstDelivery(
				webhook.id,
				({ last_error, attempts }) => last_error === "answered 500" && attempts === attempt,
			);
			assert.deepEqual([tried.status, tried.last_status_code], ["pending", 500]);
			assert.ok(Date.parse(String(tried.next_attempt_at)) > service.clock.now());
			assert.notEqual((await getWebhook(service, webhook.id)).failing_since, null);
			service.clock.advance(31_000);
		}
		const [first, second, third] = await receiver.atLeast(3);
		assert.ok(first && second && third);
		assert.deepEqual(new Set([first, second, third].map(({ body }) => body)).size, 1);
		assert.equal(new Set([first, second, third].map(({ headers }) => headers["webhook-id"])).size, 1);
		assert.ok(Number(third.headers["webhook-timestamp"]) >= Number(first.headers["webhook-timestamp"]) + 60);
		verified(third, webhook.secret);
		const done = await only(webhook.id, "delivered");
		assert.deepEqual([done.attempts, done.last_error], [3, ""]);
		assert.equal((await getWebhook(service, webhook.id)).failing_since, null);
		await end(webhook.id);
	});

	it("do not follow redirects", async () => {
		const elsewhere = await startWebhookReceiver();
		receiver.response((response) => void response.writeHead(307, { location: `${elsewhere.url}/` }).end());
		const webhook = await subscribe("user.*");
		await addPerson(service, "redirected");
		const tried = await firstDelivery(webhook.id, ({ last_error }) => last_error !== "");
		assert.equal(tried.last_error, "answered 307: redirects are not followed");
		assert.equal(elsewhere.received.length, 0);
		await elsewhere.close();
		await end(webhook.id);
	});

	it("do not wait for an endpoint that never responds", async () => {
		receiver.response(() => undefined);
		const silent = await Promise.all(Array.from({ length: 6 }, () => subscribe("user.*")));
		const quick = await startWebhookReceiver();
		const heard = await addWebhook(service, { url: quick.url, event_types: ["user.*"] });
		await Promise.all(Array.from({ length: 8 }, (_, n) => service.addUser(userNamed(`patient-${n}`))));
		await quick.atLeast(8);
		await quick.close();
		await Promise.all([heard, ...silent].map(({ id }) => end(id)));
	});

	it("disable the webhook if none was accepted for three days, and can be replayed later", async () => {
		receiver.response(503);
		const webhook = await subscribe("user.*");
		await addPerson(service, "three.days");
		for (let hours = 0; hours <= 72 + 12; hours += 12) {
			const now = service.clock.now();
			const { status } = await firstDelivery(
				webhook.id,
				(one) => one.status === "failed" || Date.parse(String(one.last_attempt_at)) >= now - 1_000,
			);
			if (status === "failed") break;
			service.clock.advance(12 * HOUR_MS);
		}
		const [failed] = await deliveriesOf(service, webhook.id);
		assert.ok(failed);
		assert.deepEqual([failed.status, failed.next_attempt_at], ["failed", null]);
		const lasted = Date.parse(String(failed.finished_at)) - Date.parse(failed.created_at);
		assert.ok(lasted >= 3 * DAY_MS && lasted < 3 * DAY_MS + 13 * HOUR_MS, String(lasted));
		const disabled = await getWebhook(service, webhook.id);
		assert.deepEqual([disabled.status, disabled.disabled_reason], ["disabled", "failing"]);
		const last = (await auditOf(service, `webhook:${webhook.id}`)).at(-1);
		assert.deepEqual(
			[last?.actor, last?.action, last?.details],
			["system", "webhook.disabled", { reason: "failing" }],
		);

		await service.addUser(userNamed("not-heard"));
		await admin("PATCH", `${WEBHOOKS}/${webhook.id}`, { status: "active" });
		receiver.response(200);
		await admin("POST", `${WEBHOOKS}/${webhook.id}/deliveries/${failed.id}/replay`);
		const done = await only(webhook.id, "delivered");
		assert.equal(done.attempts, failed.attempts + 1);
		assert.equal(receiver.received.at(-1)?.headers["webhook-id"], failed.id);
		await end(webhook.id);
	});

	it("stop immediately when the receiver returns 410 Gone", async () => {
		receiver.response(410);
		const webhook = await subscribe("user.*");
		await addPerson(service, "gone");
		const one = await firstDelivery(webhook.id, ({ status }) => status === "failed");
		assert.equal(one.last_status_code, 410);
		const disabled = await getWebhook(service, webhook.id);
		assert.deepEqual([disabled.status, disabled.disabled_reason], ["disabled", "gone"]);
		await end(webhook.id);
	});

	it("store no response body, and log no secret", async () => {
		receiver.response((response) => void response.writeHead(400).end("the receiver's own secret"));
		const webhook = await subscribe("user.*");
		await addPerson(service, "quiet");
		const one = await firstDelivery(webhook.id, ({ last_error }) => last_error !== "");
		assert.ok(!JSON.stringify(one).includes("own secret"));
		assert.ok(!service.logs().includes("own secret"));
		assert.ok(!service.logs().includes(webhook.secret));
		assert.ok(!service.logs().includes("key=value"));
		await end(webhook.id);
	});
});

function userNamed(username: string): Record<string, string> {
	return { username, email: `${username}@people.example`, password: `the long password of ${username}` };
}
