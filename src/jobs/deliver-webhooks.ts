// Sends webhook deliveries: each at least once, none delayed by another endpoint.

import type { ClaimedWebhookDelivery, DueWebhook, WebhookSender } from "../domain/webhook-delivery.ts";
import type { Needs } from "../features/platform.ts";
import { settleDelivery } from "../features/record/webhooks/settle-delivery.ts";
import type { Tracing } from "../kernel/tracing.ts";
import { DeliveryLoop } from "./delivery-loop.ts";
import { DeliveryPlaces } from "./delivery-places.ts";
import { elapsedMs, inWebhookSpan } from "./delivery-span.ts";
import { attemptWebhook } from "./webhook-attempt.ts";

export type WebhookDeliveryOptions = Needs<
	"webhooks" | "webhookDeliveries" | "audit",
	"clock" | "log" | "secretBox"
> & {
	readonly sender: WebhookSender;
	/** Undefined if no traces are sent. */
	readonly tracing?: Tracing | undefined;
	/** How often to look for due deliveries. Default 500 ms. */
	readonly pollMs?: number;
	/** Returns 0 ≤ x < 1. */
	readonly random?: () => number;
};

/** Longer than an attempt and its recording: if a process dies, its deliveries become due again after this. */
const LEASE_MS = 10_000;
/** An attempt takes at most 5 s. */
const STOP_GRACE_MS = 8_000;

/** The loop for webhooks: call `start` once, then `stop` once. */
export function createWebhookDelivery(options: WebhookDeliveryOptions): DeliveryLoop {
	const { db, clock, log, pollMs = 500 } = options;
	const places = new DeliveryPlaces();
	const loop = new DeliveryLoop({
		clock,
		log,
		pollMs,
		stopGraceMs: STOP_GRACE_MS,
		failure: "cannot read webhook deliveries",
		async claimDue() {
			const due = await db.stores.webhookDeliveries.listDue(clock());
			for (const webhook of due.toSorted((a, b) => Number(a.isFailing) - Number(b.isFailing))) {
				const free = places.freeFor(webhook);
				if (free <= 0 || !loop.isRunning) continue;
				const claimed = await db.transaction(({ webhookDeliveries }) =>
					webhookDeliveries.claim(webhook.id, clock(), free, LEASE_MS),
				);
				for (const delivery of claimed)
					loop.deliver(deliver(webhook, delivery, options).finally(places.take(webhook)));
			}
		},
	});
	return loop;
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
		const outcome = await inWebhookSpan(tracing, delivery, webhook.id, () =>
			attemptWebhook(webhook, delivery, options),
		);
		const ms = elapsedMs(startMs);
		const settled = await settleDelivery({ ...options, random }, delivery, outcome);
		const { statusCode: status, error } = outcome;
		const about = { ...fields, attempts: delivery.attempts, status, ms, error };
		if (settled === "disabled") log.warn(about, "webhook disabled");
		else log.debug(about, `webhook delivery ${settled}`);
	} catch (error) {
		// The delivery is due again when its lease expires, with the same webhook-id.
		log.error({ ...fields, err: error }, "the outcome of a webhook delivery could not be recorded");
	}
}
