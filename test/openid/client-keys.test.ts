import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
	assertionOf,
	type ClientKey,
	makeClientKey,
	sendAssertion,
} from "../harness/openid/client-assertion.ts";
import { type ConnectedClient, connect, startOpenIdService } from "../harness/openid/openid.ts";
import type { TestService } from "../harness/service/service.ts";
import {
	RECEIVER_NETWORK,
	startWebhookReceiver,
	type WebhookReceiver,
} from "../harness/webhooks/webhook-receiver.ts";

const ORDERS = "https://orders.example/api";
const MINUTE_MS = 60_000;
const ACCEPTED = [200, undefined];
const REFUSED = [401, "invalid_client"];

describe("keys that a client publishes at a URL", () => {
	let service: TestService;
	let publisher: WebhookReceiver;
	let key: ClientKey;
	before(async () => {
		service = await startOpenIdService({ env: { LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK } });
		// On a slow machine, no minute may pass during the test.
		service.clock.standAt(Date.now());
		await connect(service, { resource: ORDERS });
		key = await makeClientKey();
	});
	beforeEach(async () => {
		await publisher?.close();
		publisher = await startWebhookReceiver();
		publish(key.publicJwk);
	});
	after(async () => {
		await publisher.close();
		await service.stop();
	});

	const publish = (...keys: unknown[]) => publishText(JSON.stringify({ keys }));
	const publishText = (text: string, status = 200, headers: Record<string, string> = {}) =>
		publisher.response((response) => response.writeHead(status, headers).end(text));
	const addWorker = (jwksUri = `${publisher.url}/keys?a=b`, at = service) =>
		connect(at, { type: "service", authMethod: "private_key_jwt", jwksUri, allowedResources: [ORDERS] });
	const send = async (worker: ConnectedClient, by = key, at = service) => {
		const answer = await sendAssertion(at, await assertionOf(worker, by), { resource: ORDERS });
		return [answer.status, answer.body.error];
	};

	it("are fetched at most once a minute, regardless of valid and invalid assertions", async () => {
		const worker = await addWorker();
		const stranger = await makeClientKey();
		assert.deepEqual(await Promise.all([send(worker), send(worker)]), [ACCEPTED, ACCEPTED]);
		for (let count = 0; count < 10; count++) assert.deepEqual(await send(worker, stranger), REFUSED);
		assert.deepEqual(
			publisher.received.map(({ path }) => path),
			["/keys?a=b"],
		);
		assert.equal(publisher.received[0]?.headers.cookie, undefined);
	});

	it("are not fetched for an unauthenticated request", async () => {
		const worker = await addWorker();
		for (const [path, body] of [
			["/oauth/token", `grant_type=client_credentials&client_id=${worker.id}`],
			["/oauth/introspect", `token=x&client_id=${worker.id}&client_secret=x`],
		] as const)
			assert.equal(
				(
					await service.call("POST", path, {
						https: true,
						body,
						headers: { "content-type": "application/x-www-form-urlencoded" },
					})
				).status,
				401,
			);
		await service.call("GET", `/oauth/authorize?client_id=${worker.id}&client_assertion=x`, { https: true });
		assert.equal(publisher.received.length, 0);
	});

	it("change within a minute, and the withdrawn one is refused", async () => {
		const worker = await addWorker();
		assert.deepEqual(await send(worker), ACCEPTED);
		const next = await makeClientKey("ES256", "two");
		publish(next.publicJwk);
		assert.deepEqual(await send(worker, next), REFUSED);
		service.clock.advance(MINUTE_MS);
		assert.deepEqual(await send(worker, next), ACCEPTED);
		assert.deepEqual(await send(worker), REFUSED);
	});

	it("stay in use for an hour while their URL fails", async () => {
		const worker = await addWorker();
		assert.deepEqual(await send(worker), ACCEPTED);
		publishText("out of order", 503);
		service.clock.advance(30 * MINUTE_MS);
		assert.deepEqual(await send(worker), ACCEPTED);
		service.clock.advance(31 * MINUTE_MS);
		assert.deepEqual(await send(worker), REFUSED);
		assert.equal(publisher.received.length, 3);
		publish(key.publicJwk);
		assert.deepEqual(await send(worker), REFUSED);
		service.clock.advance(MINUTE_MS);
		assert.deepEqual(await send(worker), ACCEPTED);
	});

	it("are refused from redirects, other statuses, large responses, and other texts; each is fetched once a minute", async () => {
		const good = JSON.stringify({ keys: [key.publicJwk] });
		for (const [text, status, headers] of [
			["", 302, { location: `${publisher.url}/elsewhere` }],
			[good, 201, {}],
			[good, 404, {}],
			[good, 500, {}],
			[`${good}${" ".repeat(70_000)}`, 200, {}],
			["not JSON", 200, {}],
			["null", 200, {}],
			["[]", 200, {}],
			['{"keys":{}}', 200, {}],
			['{"keys":[null,7,"x",[]]}', 200, {}],
		] as const) {
			publishText(text, status, headers);
			const before = publisher.received.length;
			const worker = await addWorker();
			for (let count = 0; count < 3; count++)
				assert.deepEqual(await send(worker), REFUSED, `${status} ${text.slice(0, 20)}`);
			assert.equal(publisher.received.length, before + 1, `${status} ${text.slice(0, 20)}`);
		}
		assert.equal(
			publisher.received.some(({ path }) => path === "/elsewhere"),
			false,
		);
	});

	it("must satisfy the rules for keys that an administrator enters", async () => {
		const secret = { kty: "oct", k: Buffer.alloc(32).toString("base64url"), kid: "secret" };
		publish(secret, { ...key.publicJwk, d: "A".repeat(43) });
		const worker = await addWorker();
		assert.deepEqual(await send(worker), REFUSED, "published with its private part");
		publish({ kty: "new" }, secret, { ...key.publicJwk, use: "enc" }, key.publicJwk);
		assert.deepEqual(await send(await addWorker()), ACCEPTED, "others beside it");
	});

	it("time out if the URL does not respond", async () => {
		publisher.response(() => undefined);
		const worker = await addWorker();
		const responses = await Promise.all([send(worker), send(worker), send(worker)]);
		assert.deepEqual(responses, [REFUSED, REFUSED, REFUSED]);
		assert.equal(publisher.received.length, 1);
		assert.match(service.logs(), /the keys of an OAuth client cannot be read/);
		assert.match(service.logs(), /no response within 3 s/);
	});

	it("are not fetched from internal networks unless the operator allows it", async () => {
		const closed = await startOpenIdService();
		try {
			await connect(closed, { resource: ORDERS });
			for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433"]) {
				const worker = await addWorker(`https://${host}:${publisher.port}/keys`, closed);
				assert.deepEqual(await send(worker, key, closed), REFUSED, host);
			}
			assert.equal(publisher.received.length, 0);
		} finally {
			await closed.stop();
		}
	});
});
