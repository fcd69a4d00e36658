// Replays a delivery to a webhook, with the same id.

import type { Caller } from "../../../domain/caller.ts";
import { type Webhook, webhookNotFound } from "../../../domain/webhook.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { webhookTarget } from "./target-url.ts";

/**
 * Makes the delivery due at once, in any state, with three more days of attempts.
 *
 * @throws AppError `webhook.not_found`, `webhook_delivery.not_found`, `webhook.disabled`.
 */
export async function replayDelivery(
	{ db, clock }: Needs<"webhooks" | "webhookDeliveries" | "audit", "clock">,
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

/** @throws AppError `webhook.disabled`. */
export function requireActive({ status }: Pick<Webhook, "status">): void {
	if (status === "disabled")
		throw new AppError("webhook.disabled", "the webhook is disabled: set it active first");
}

function deliveryNotFound(): AppError {
	return new AppError("webhook_delivery.not_found", "no such delivery of this webhook");
}
