import assert from "node:assert/strict";
import http from "node:http";
import { describe, it } from "node:test";
import { grantTo } from "../harness/openid/oauth-grants.ts";
import { connect } from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";
import { metricsOf } from "../harness/service/metrics.ts";
import { ADMIN } from "../harness/service/service.ts";
import { RECEIVER_NETWORK, startWebhookReceiver } from "../harness/webhooks/webhook-receiver.ts";
import { addWebhook, eventually } from "../harness/webhooks/webhooks.ts";

const service = testService({
	metrics: true,
	env: { LATCHKEY_RATE_LIMIT_PER_MINUTE: "40", LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK },
});

function ask(path: string, method = "GET"): Promise<{ status: number; type: string; text: string }> {
	return new Promise((resolve, reject) => {
		const options = { host: "127.0.0.1", port: service.metricsPort as number, path, method, agent: false };
		http
			.request(options, (response) => {
				let text = "";
				response.setEncoding("utf8").on("data", (chunk) => {
					text += chunk;
				});
				response.on("end", () =>
					resolve({
						status: response.statusCode as number,
						type: response.headers["content-type"] ?? "",
						text,
					}),
				);
			})
			.on("error", reject)
			.end();
	});
}

/** The value of a series; undefined if it does not exist. */
async function read(series: string): Promise<number | undefined> {
	return (await metricsOf(service)).get(series);
}

describe("GET /metrics", () => {
	it("is served in the Prometheus format on its own listener, which serves nothing else", async () => {
		const answer = await ask("/metrics");
		assert.equal(answer.status, 200);
		assert.match(answer.type, /^text\/plain; version=0\.0\.4/);
		assert.match(answer.text, /^latchkey_info\{version="[^"]+"\} 1$/m);
		assert.match(answer.text, /^process_resident_memory_bytes \d+$/m);
		assert.equal((await ask("/metrics?x=1")).status, 200);
		assert.deepEqual(await ask("/metrics", "HEAD"), { status: 200, type: answer.type, text: "" });
		for (const path of ["/", "/health", "/metrics/", "/api/v1/users/me"])
			assert.equal((await ask(path)).status, 404, path);
		assert.equal((await ask("/metrics", "POST")).status, 405);
	});

	it("is not served on the listeners of the service", async () => {
		for (const https of [false, true]) {
			const answer = await service.call("GET", "/metrics", { https });
			assert.deepEqual([answer.status, answer.body], [404, { error: "no such resource" }]);
		}
	});

	it("labels requests by their route, never by the requested path", async () => {
		service.clock.advance(60_000);
		const id = "01900000-0000-7000-8000-000000000000";
		await service.callAsAdmin("GET", `/api/v1/users/${id}`);
		await service.callAsAdmin("GET", `/api/v1/users/${id}?secret=in-the-query`);
		await service.call("GET", "/somewhere/nobody-knows");
		await service.callAsAdmin("PATCH", "/api/v1/users/me");
		const { text } = await ask("/metrics");
		assert.doesNotMatch(text, new RegExp(`${id}|nobody-knows|in-the-query`));
		const count = (labels: string) => read(`latchkey_http_request_duration_seconds_count{${labels}}`);
		assert.equal(await count('method="GET",route="/api/v1/users/{id}",status="404"'), 1);
		assert.equal(await count('method="GET",route="/api/v1/users/{id}",status="400"'), 1);
		assert.equal(await count('method="POST",route="/api/v1/auth/login",status="200"'), 1);
		assert.ok(((await count('method="GET",route="none",status="404"')) ?? 0) >= 1);
	});

	it("counts refused requests by rate limit", async () => {
		service.clock.advance(60_000);
		for (let sent = 0; sent < 43; sent++) await service.call("GET", "/health");
		assert.equal(await read('latchkey_rate_limit_refusals_total{scope="service"}'), 3);
		service.clock.advance(60_000);
		const body = { api_key: "ak_0123456789abcdef0", secret: "sk_wrong" };
		for (let sent = 0; sent < 11; sent++)
			await service.callAsAdmin("POST", "/api/v1/api-clients/validate", { body });
		assert.equal(await read('latchkey_rate_limit_refusals_total{scope="route"}'), 1);
	});

	it("counts sent and waiting mails", async () => {
		service.clock.advance(60_000);
		const body = { email: "metrics@people.example" };
		assert.equal(await read("latchkey_mail_sent_total"), 0);
		await service.call("POST", "/api/v1/auth/register/send-code", { body });
		await service.mailsTo(body.email);
		// The file exists shortly before the outbox records it.
		for (let look = 0; look < 200 && (await read("latchkey_mail_due")) !== 0; look++);
		assert.equal(await read("latchkey_mail_due"), 0);
		assert.equal(await read("latchkey_mail_sent_total"), 1);
		assert.equal(await read("latchkey_mail_failed_total"), 0);
		assert.equal(await read("latchkey_mail_transport_up"), 1);
	});

	it("shows when the certificate expires, and the latency of the database", async () => {
		const days = ((await read("latchkey_certificate_expiry_timestamp_seconds")) as number) / 86_400;
		assert.ok(days > service.clock.now() / 86_400_000, String(days));
		const latency = (await read("latchkey_database_latency_seconds")) as number;
		assert.ok(latency >= 0 && latency < 30, String(latency));
		const limit = await read("latchkey_database_connections_limit");
		const waiting = await read("latchkey_database_waiting");
		if (process.env.TEST_DATABASE !== "postgres") assert.deepEqual([limit, waiting], [undefined, undefined]);
		else assert.ok((limit as number) >= 1 && waiting === 0);
	});

	it("shows waiting webhook deliveries, their age, and their delay", async () => {
		service.clock.advance(60_000);
		const receiver = await startWebhookReceiver();
		receiver.response(503);
		assert.equal(await read("latchkey_webhook_due"), 0);
		assert.equal(await read("latchkey_webhook_oldest_age_seconds"), 0);
		await addWebhook(service, { url: receiver.url, event_types: ["user.created"] });
		await addPerson(service, "webhook-backlog");
		await receiver.atLeast(1);
		service.clock.advance(1_000);
		assert.equal(await read("latchkey_webhook_due"), 1);
		assert.ok(((await read("latchkey_webhook_oldest_age_seconds")) as number) >= 1);
		assert.equal(await read("latchkey_webhook_overdue_seconds"), 0);
		await receiver.close();
	});

	it("shows waiting logout notifications, their age, and their delay, and counts their outcomes", async () => {
		service.clock.advance(60_000);
		const receiver = await startWebhookReceiver();
		receiver.response((response, _received, count) => void response.writeHead(count === 1 ? 503 : 200).end());
		const names = [
			"due",
			"oldest_age_seconds",
			"overdue_seconds",
			"sent_total",
			"retried_total",
			"failed_total",
		];
		const all = () => Promise.all(names.map((name) => read(`latchkey_logout_notice_${name}`)));
		assert.deepEqual(await all(), [0, 0, 0, 0, 0, 0]);
		const { id } = await connect(service, { backchannelLogoutUri: receiver.url });
		const { token } = await addPerson(service, "logout-backlog");
		await grantTo(service, id, token);
		await service.call("POST", "/api/v1/auth/logout", { token });
		const [first] = await eventually(all, ([, , , , retried]) => retried === 1);
		assert.equal(first, 1);
		service.clock.advance(2_000);
		const [, ageSeconds] = await all();
		assert.ok(Number(ageSeconds) >= 2, String(ageSeconds));
		service.clock.advance(40_000);
		const sent = await eventually(all, ([due]) => due === 0);
		assert.deepEqual(sent, [0, 0, 0, 1, 1, 0]);
		await receiver.close();
	});

	it("shows running hashes", async () => {
		service.clock.advance(60_000);
		const sign = () =>
			service.call("POST", "/api/v1/auth/login", {
				body: { username: ADMIN.username, password: ADMIN.password },
			});
		let seen = 0;
		// A hash takes one millisecond in tests, so a scrape may miss it.
		for (let round = 0; round < 30 && seen === 0; round++) {
			service.clock.advance(60_000);
			let isOver = false;
			const storm = Promise.all(Array.from({ length: 4 }, sign)).finally(() => {
				isOver = true;
			});
			while (!isOver && seen === 0) seen = (await read("latchkey_hash_queue_running")) ?? 0;
			await storm;
		}
		assert.ok(seen >= 1);
		assert.equal(await read("latchkey_hash_queue_running"), 0);
		assert.equal(await read("latchkey_hash_queue_depth"), 0);
		assert.equal(await read("latchkey_database_failures_total"), 0);
	});
});
