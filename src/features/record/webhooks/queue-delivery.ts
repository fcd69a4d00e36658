// Replays deliveries to a webhook, and sends it a test event.

import type { Caller } from "../../../domain/caller.ts";
import { type Webhook, webhookNotFound } from "../../../domain/webhook.ts";
import { WEBHOOK_REPLAY_MAX, type WebhookDelivery } from "../../../domain/webhook-delivery.ts";
import {
	WEBHOOK_TEST_TYPE,
	type WebhookDeliveryType,
	webhookPayload,
} from "../../../domain/webhook-event.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { examplePayload } from "./event-wire.ts";
import { webhookTarget } from "./target-url.ts";

type Needed = Needs<"webhooks" | "webhookDeliveries" | "audit", "clock">;

/**
 * Makes a delivery in any state due immediately, with the same id, and retries it for three more days.
 *
 * @throws AppError `webhook.not_found`, `webhook_delivery.not_found`, `webhook.disabled`.
 */
export async function replayDelivery(
	{ db, clock }: Needed,
	webhookId: string,
	deliveryId: string,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async ({ webhooks, webhookDeliveries, audit }) => {
		const webhook = found(await webhooks.findById(tenantId, webhookId), webhookNotFound);
		const delivery = await webhookDeliveries.findById(tenantId, webhookId, deliveryId);
		const { eventType } = found(delivery, deliveryNotFound);
		requireActive(webhook);
		if (!(await webhookDeliveries.replay(tenantId, webhookId, deliveryId, clock()))) throw deliveryNotFound();
		const details = { delivery_id: deliveryId, event_type: eventType };
		await audit.append(caller, "webhook.delivery_replayed", webhookTarget(webhook), details);
	});
}

/**
 * Replays up to `WEBHOOK_REPLAY_MAX` failed deliveries, of one event type or of all except tests.
 *
 * @returns how many.
 * @throws AppError `webhook.not_found`, `webhook.disabled`.
 */
export async function replayFailed(
	{ db, clock }: Needed,
	webhookId: string,
	eventType: WebhookDeliveryType | undefined,
	caller: Caller,
): Promise<number> {
	const { tenantId } = caller;
	return db.transaction(async ({ webhooks, webhookDeliveries, audit }) => {
		const webhook = found(await webhooks.findById(tenantId, webhookId), webhookNotFound);
		requireActive(webhook);
		const query = { tenantId, webhookId, ...(eventType && { eventType }) };
		const replayed = await webhookDeliveries.replayFailed(query, clock(), WEBHOOK_REPLAY_MAX);
		if (replayed > 0) {
			const details = { deliveries: replayed, event_type: eventType ?? null };
			await audit.append(caller, "webhook.delivery_replayed", webhookTarget(webhook), details);
		}
		return replayed;
	});
}

/**
 * Queues an example of an event that is due immediately, regardless of the subscriptions of the webhook. It is a
 * `webhook.test` with any payload. A failure is final, and does not count against the webhook.
 *
 * @throws AppError `webhook.not_found`, `webhook.disabled`.
 */
export async function sendTest(
	{ db, clock }: Needed,
	webhookId: string,
	type: WebhookDeliveryType,
	caller: Caller,
): Promise<WebhookDelivery> {
	const { tenantId, actor } = caller;
	const now = clock();
	return db.transaction(async ({ webhooks, webhookDeliveries, audit }) => {
		const webhook = found(await webhooks.findById(tenantId, webhookId), webhookNotFound);
		requireActive(webhook);
		const target = webhookTarget(webhook);
		const id = newId(now);
		await webhookDeliveries.queue({
			id,
			webhookId,
			tenantId,
			eventType: WEBHOOK_TEST_TYPE,
			payload:
				type === WEBHOOK_TEST_TYPE
					? webhookPayload(type, { tenantId, actor, target: target.ref, details: {} }, now)
					: examplePayload(type, caller, now),
			createdAtMs: now,
		});
		await audit.append(caller, "webhook.tested", target, {
			delivery_id: id,
			...(type !== WEBHOOK_TEST_TYPE && { event_type: type }),
		});
		return found(await webhookDeliveries.findById(tenantId, webhookId, id), webhookNotFound);
	});
}

/** @throws AppError `webhook.disabled`. */
function requireActive({ status }: Pick<Webhook, "status">): void {
	if (status === "disabled")
		throw new AppError("webhook.disabled", "the webhook is disabled: set its status to active first");
}

export function deliveryNotFound(): AppError {
	return new AppError("webhook_delivery.not_found", "this webhook has no such delivery");
}
