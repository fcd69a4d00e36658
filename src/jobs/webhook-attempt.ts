// One attempt to deliver one event to one webhook, in the format of Standard Webhooks.

import type { SecretBox } from "../crypto/secret-box.ts";
import { webhookKey, webhookSignature } from "../crypto/webhook-signature.ts";
import { liveSecrets } from "../domain/client-secret.ts";
import { webhookContext } from "../domain/webhook.ts";
import {
	type ClaimedWebhookDelivery,
	type DueWebhook,
	WebhookSendError,
	type WebhookSender,
} from "../domain/webhook-delivery.ts";
import type { Platform } from "../features/platform.ts";
import type { WebhookOutcome } from "../features/record/webhooks/settle-delivery.ts";
import { SECOND_MS } from "../kernel/clock.ts";

export type WebhookAttemptOptions = Pick<Platform, "secretBox" | "clock" | "log"> & {
	readonly sender: WebhookSender;
};

/** Never rejects. Any 2xx is a success; redirects are not followed. */
export async function attemptWebhook(
	webhook: DueWebhook,
	delivery: ClaimedWebhookDelivery,
	{ sender, secretBox, clock, log }: WebhookAttemptOptions,
): Promise<WebhookOutcome> {
	try {
		const headers = signedHeaders(webhook, delivery, secretBox, clock());
		const response = await sender.send({ url: webhook.url, headers, body: delivery.payload });
		return { ...response, error: describeStatus(response.statusCode) };
	} catch (error) {
		if (error instanceof WebhookSendError) return noAnswer(error.message);
		log.error(
			{ err: error, webhook_id: webhook.id, delivery_id: delivery.id, tenant_id: delivery.tenantId },
			"a webhook delivery could not be sent",
		);
		return noAnswer("the delivery failed: see the log of the service");
	}
}

function signedHeaders(
	webhook: DueWebhook,
	{ id, payload }: ClaimedWebhookDelivery,
	secretBox: SecretBox,
	nowMs: number,
): Record<string, string> {
	const keys = liveSecrets(webhook, nowMs).map((sealed) =>
		webhookKey(secretBox.open(sealed, webhookContext(webhook.id))),
	);
	const timestampSeconds = Math.floor(nowMs / SECOND_MS);
	return {
		"content-type": "application/json",
		"user-agent": "latchkey-webhooks",
		"webhook-id": id,
		"webhook-timestamp": String(timestampSeconds),
		"webhook-signature": webhookSignature(keys, { id, timestampSeconds, body: payload }),
	};
}

function describeStatus(statusCode: number): string {
	if (statusCode >= 200 && statusCode < 300) return "";
	const redirect = statusCode >= 300 && statusCode < 400 ? ": redirects are not followed" : "";
	return `answered ${statusCode}${redirect}`;
}

function noAnswer(error: string): WebhookOutcome {
	return { statusCode: null, error, retryAfterSeconds: undefined, answer: "" };
}
