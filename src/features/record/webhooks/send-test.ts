// Sends a test event to one webhook, so that its receiver can be tried before anything happens.

import type { Caller } from "../../../domain/caller.ts";
import { webhookNotFound } from "../../../domain/webhook.ts";
import type { WebhookDelivery } from "../../../domain/webhook-delivery.ts";
import { WEBHOOK_TEST_TYPE, webhookPayload } from "../../../domain/webhook-event.ts";
import { found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { requireActive } from "./replay-delivery.ts";
import { webhookTarget } from "./target-url.ts";

/**
 * Queues a `webhook.test`, due at once, also for a webhook that subscribes to nothing of the kind.
 *
 * @throws AppError `webhook.not_found`, `webhook.disabled`.
 */
export async function sendTest(
	{ db, clock }: Needs<"webhooks" | "webhookDeliveries" | "audit", "clock">,
	webhookId: string,
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
			payload: webhookPayload(WEBHOOK_TEST_TYPE, { tenantId, actor, target: target.ref, details: {} }, now),
			createdAtMs: now,
		});
		await audit.append(caller, "webhook.tested", target, { delivery_id: id });
		return found(await webhookDeliveries.findById(tenantId, webhookId, id), webhookNotFound);
	});
}
