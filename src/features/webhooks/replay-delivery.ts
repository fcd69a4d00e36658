// Sends an event once more to a webhook, with the same id.

import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { type WebhookDeliveryStore, type WebhookStore, webhookNotFound } from "./model.ts";

export interface ReplayDeliveryDeps {
	readonly db: Persistence<{
		webhooks: WebhookStore;
		webhookDeliveries: WebhookDeliveryStore;
		audit: AuditLog;
	}>;
	readonly clock: Clock;
}

/**
 * Due at once, be it delivered, given up or still waiting, and tried for three days again.
 *
 * @throws AppError `webhook.not_found`, `webhook_delivery.not_found`, `webhook.disabled`.
 */
export async function replayDelivery(
	{ db, clock }: ReplayDeliveryDeps,
	webhookId: string,
	deliveryId: string,
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	await db.transaction(async ({ webhooks, webhookDeliveries, audit }) => {
		const webhook = await webhooks.findById(tenantId, webhookId);
		if (webhook === undefined) throw webhookNotFound();
		const delivery = await webhookDeliveries.findById(tenantId, webhookId, deliveryId);
		if (delivery === undefined) throw deliveryNotFound();
		if (webhook.status === "disabled")
			throw new AppError("webhook.disabled", "the webhook is disabled: set it active first");
		if (!(await webhookDeliveries.replay(tenantId, webhookId, deliveryId, clock()))) throw deliveryNotFound();
		await audit.append({
			tenantId,
			actor,
			action: "webhook.delivery_replayed",
			target: `webhook:${webhookId}`,
			origin,
			details: { delivery_id: deliveryId, event_type: delivery.eventType },
		});
	});
}

export function deliveryNotFound(): AppError {
	return new AppError("webhook_delivery.not_found", "no such delivery of this webhook");
}
