// Sends webhook deliveries in the format of Standard Webhooks: each at least once, none delayed by another endpoint.

import type { SecretBox } from "../crypto/secret-box.ts";
import { webhookKey, webhookSignature } from "../crypto/webhook-signature.ts";
import { liveSecrets } from "../domain/client-secret.ts";
import { type EventCounter, WHOLE_TENANT } from "../domain/statistics.ts";
import { webhookContext } from "../domain/webhook.ts";
import {
	type ClaimedWebhookDelivery,
	type DueWebhook,
	WebhookSendError,
} from "../domain/webhook-delivery.ts";
import type { Needs } from "../features/platform.ts";
import {
	type AttemptOutcome,
	settleDelivery,
	type WebhookOutcome,
} from "../features/record/webhooks/settle-delivery.ts";
import { SECOND_MS } from "../kernel/clock.ts";
import type { DeliveryLoop } from "./delivery-loop.ts";
import { createReceiverLoop, LEASE_MS, type ReceiverDelivery } from "./delivery-slots.ts";
import { elapsedMs, inAttemptSpan } from "./delivery-span.ts";

export type WebhookDeliveryOptions = Needs<
	"webhooks" | "webhookDeliveries" | "audit",
	"clock" | "log" | "secretBox" | "statistics"
> &
	ReceiverDelivery;

export function createWebhookDelivery(options: WebhookDeliveryOptions): DeliveryLoop {
	const { db, clock, log, pollMs } = options;
	return createReceiverLoop({
		clock,
		log,
		pollMs,
		failure: "cannot read webhook deliveries",
		listDue: () => db.stores.webhookDeliveries.listDue(clock()),
		claim: ({ id }, limit) =>
			db.transaction(({ webhookDeliveries }) => webhookDeliveries.claim(id, clock(), limit, LEASE_MS)),
		deliver: (webhook, delivery) => deliver(webhook, delivery, options),
	});
}

/** Never rejects. */
async function deliver(
	webhook: DueWebhook,
	delivery: ClaimedWebhookDelivery,
	options: WebhookDeliveryOptions,
): Promise<void> {
	const { log, tracing, random = Math.random } = options;
	const fields = { webhook_id: webhook.id, delivery_id: delivery.id, tenant_id: delivery.tenantId };
	const startMs = performance.now();
	try {
		const attributes = {
			"latchkey.webhook_id": webhook.id,
			"latchkey.delivery_id": delivery.id,
			"latchkey.attempts": delivery.attempts,
		};
		const outcome = await inAttemptSpan(tracing, "webhook delivery", attributes, () =>
			attemptWebhook(webhook, delivery, options),
		);
		const ms = elapsedMs(startMs);
		const settled = await settleDelivery({ ...options, random }, delivery, {
			...outcome,
			ms: Math.round(ms),
		});
		const { statusCode: status, error } = outcome;
		countAttempt(options.statistics, delivery, outcome);
		const about = { ...fields, attempts: delivery.attempts, status, ms, error };
		if (settled === "disabled") log.warn(about, "webhook disabled");
		else log.debug(about, `webhook delivery ${settled}`);
	} catch (error) {
		// The delivery is due again when its lease expires, with the same webhook-id.
		log.error({ ...fields, err: error }, "the outcome of a webhook delivery could not be recorded");
	}
}

function countAttempt(
	statistics: EventCounter,
	{ tenantId, webhookId }: ClaimedWebhookDelivery,
	{ statusCode, error }: AttemptOutcome,
): void {
	const [measure, code] =
		error === ""
			? (["webhook_attempt", ""] as const)
			: (["webhook_attempt_failed", failureCode(statusCode)] as const);
	for (const id of [webhookId, WHOLE_TENANT]) statistics.countFor({ tenantId, id }, measure, code);
}

/** Classes of statuses, so that there are few counts. */
function failureCode(statusCode: number | null): string {
	return statusCode === null ? "no_response" : `status.${Math.floor(statusCode / 100)}xx`;
}

/** Never rejects. Any 2xx is a success; redirects are not followed. */
async function attemptWebhook(
	webhook: DueWebhook,
	delivery: ClaimedWebhookDelivery,
	{ sender, secretBox, clock, log }: WebhookDeliveryOptions,
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
