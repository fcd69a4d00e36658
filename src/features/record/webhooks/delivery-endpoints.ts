// `/webhooks/{id}/deliveries` and `/webhooks/{id}/test`: lists deliveries, replays them, and sends a test.

import type { Administrator } from "../../../domain/caller.ts";
import { webhookNotFound } from "../../../domain/webhook.ts";
import { WEBHOOK_DELIVERY_STATUSES } from "../../../domain/webhook-delivery.ts";
import { WEBHOOK_DELIVERY_TYPES } from "../../../domain/webhook-event.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { oneOf } from "../../../http/describe/query-parameters.ts";
import { found } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { replayDelivery, sendTest } from "./queue-delivery.ts";
import { toWireDelivery, webhookDeliverySchema } from "./webhook-wire.ts";

export function webhookDeliveriesEndpoints(platform: Platform) {
	const { webhooks, webhookDeliveries } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listWebhookDeliveries",
			summary: "List the deliveries of a webhook",
			description: "Finished deliveries are kept for 30 days.",
			ids: { id: "webhook.not_found" },
			query: { status: oneOf(WEBHOOK_DELIVERY_STATUSES), event_type: oneOf(WEBHOOK_DELIVERY_TYPES) },
			response: page(webhookDeliverySchema, "Deliveries of the webhook, newest event first."),
			async handle({ caller: { tenantId }, ids: { id: webhookId }, query, page }) {
				found(await webhooks.findById(tenantId, webhookId), webhookNotFound);
				const { status, event_type: eventType } = query;
				const filter = { tenantId, webhookId, ...(status && { status }), ...(eventType && { eventType }) };
				return mapPage(await webhookDeliveries.list(filter, page), toWireDelivery);
			},
		}),

		replay: endpoint<Administrator>()({
			name: "replayWebhookDelivery",
			summary: "Send a delivery again",
			description:
				"Works in any state. The delivery is due immediately, with the same `webhook-id` and body, and is retried for three more days.",
			ids: { id: "webhook.not_found", delivery_id: "webhook_delivery.not_found" },
			response: empty(202, "The delivery is due again."),
			errors: ["webhook.disabled"],
			handle: ({ caller, ids: { id, delivery_id: deliveryId } }) =>
				replayDelivery(platform, id, deliveryId, caller),
		}),

		test: endpoint<Administrator>()({
			name: "testWebhook",
			summary: "Send a test to a webhook",
			description:
				"Sends `webhook.test`, signed like every delivery, regardless of the webhook's subscriptions. It is attempted once, and a failure does not count against the webhook. The result is listed with the deliveries.",
			ids: { id: "webhook.not_found" },
			response: data(202, webhookDeliverySchema, "The delivery, which is due immediately."),
			errors: ["webhook.disabled"],
			handle: async ({ caller, ids: { id } }) => toWireDelivery(await sendTest(platform, id, caller)),
		}),
	};
}
