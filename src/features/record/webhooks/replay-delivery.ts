// Replays a delivery to a webhook, with the same id.

import type { Caller } from "../../../domain/caller.ts";
import { webhookNotFound } from "../../../domain/webhook.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

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
		const webhook = await webhooks.findById(tenantId, webhookId);
		if (webhook === undefined) throw webhookNotFound();
		const delivery = await webhookDeliveries.findById(tenantId, webhookId, deliveryId);
		if (delivery === undefined) throw deliveryNotFound();
		if (webhook.status === "disabled")
			throw new AppError("webhook.disabled", "the webhook is disabled: set it active first");
		if (!(await webhookDeliveries.replay(tenantId, webhookId, deliveryId, clock()))) throw deliveryNotFound();
		await audit.append(caller, "webhook.delivery_replayed", `webhook:${webhookId}`, {
			delivery_id: deliveryId,
			event_type: delivery.eventType,
		});
	});
}

function deliveryNotFound(): AppError {
	return new AppError("webhook_delivery.not_found", "no such delivery of this webhook");
}
