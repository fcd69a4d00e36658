import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { randomWebhookSecret, webhookKey, webhookSignature } from "./webhook-signature.ts";

describe("webhookSignature", () => {
	it("matches the test vector of the reference libraries", () => {
		const signature = webhookSignature([webhookKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")], {
			id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
			timestampSeconds: 1_614_265_330,
			body: '{"test": 2432232314}',
		});
		assert.equal(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
	});

	it("is accepted by an independent library, with either of two secrets", () => {
		const secrets = [randomWebhookSecret(), randomWebhookSecret()];
		const body = JSON.stringify({ type: "user.created", data: { name: "名.字" } });
		const timestampSeconds = Math.floor(Date.now() / 1_000);
		const headers = {
			"webhook-id": "01900000-0000-7000-8000-000000000000",
			"webhook-timestamp": String(timestampSeconds),
			"webhook-signature": webhookSignature(secrets.map(webhookKey), {
				id: "01900000-0000-7000-8000-000000000000",
				timestampSeconds,
				body,
			}),
		};
		for (const secret of secrets)
			assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
		assert.throws(() => new Webhook(randomWebhookSecret()).verify(body, headers));
		assert.throws(() => new Webhook(secrets[0] as string).verify(`${body} `, headers));
	});
});

describe("randomWebhookSecret", () => {
	it("is whsec_ and 32 random bytes in base64", () => {
		const secret = randomWebhookSecret();
		assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
		assert.notEqual(randomWebhookSecret(), secret);
	});
});

describe("webhookKey", () => {
	it("refuses text that is not a webhook secret", () => {
		assert.throws(() => webhookKey("sk_abc"), RangeError);
	});
});
