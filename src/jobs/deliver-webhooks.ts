// Sends webhook deliveries: each at least once, none delayed by another endpoint.

import { type EventCounter, WHOLE_TENANT } from "../domain/statistics.ts";
import type { ClaimedWebhookDelivery, DueWebhook, WebhookSender } from "../domain/webhook-delivery.ts";
import type { Needs } from "../features/platform.ts";
import { type AttemptOutcome, settleDelivery } from "../features/record/webhooks/settle-delivery.ts";
import type { Tracing } from "../kernel/tracing.ts";
import type { DeliveryLoop } from "./delivery-loop.ts";
import { createReceiverLoop, LEASE_MS } from "./delivery-slots.ts";
import { elapsedMs, inAttemptSpan } from "./delivery-span.ts";
import { attemptWebhook } from "./webhook-attempt.ts";

export type WebhookDeliveryOptions = Needs<
	"webhooks" | "webhookDeliveries" | "audit",
	"clock" | "log" | "secretBox" | "statistics"
> & {
	readonly sender: WebhookSender;
	/** Undefined if no traces are sent. */
	readonly tracing?: Tracing | undefined;
	/** How often to look for due deliveries. Default 500 ms. */
	readonly pollMs?: number;
	/** Returns 0 ≤ x < 1. */
	readonly random?: () => number;
};

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
