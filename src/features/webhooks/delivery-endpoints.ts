// `/webhooks/{id}/deliveries`: what was sent, what waits, and sending it once more.

import { empty, endpoint, oneOf, page } from "../../http/endpoint.ts";
import { adminContext } from "../applications/model.ts";
import type { SignedIn } from "../auth/model.ts";
import { WEBHOOK_DELIVERY_STATUSES, WEBHOOK_EVENT_TYPES, webhookNotFound } from "./model.ts";
import { type ReplayDeliveryDeps, replayDelivery } from "./replay-delivery.ts";
import { toWireDelivery, webhookDeliverySchema } from "./webhook-wire.ts";

export function webhookDeliveriesEndpoints(deps: ReplayDeliveryDeps) {
	const { webhooks, webhookDeliveries } = deps.db.stores;
	return {
		list: endpoint<SignedIn>()({
			name: "listWebhookDeliveries",
			summary: "List the deliveries of a webhook",
			description: "Finished deliveries are kept for 30 days.",
			ids: { id: "webhook.not_found" },
			query: { status: oneOf(WEBHOOK_DELIVERY_STATUSES), event_type: oneOf(WEBHOOK_EVENT_TYPES) },
			answer: page(webhookDeliverySchema, "Deliveries of the webhook, newest event first."),
			async handle({ caller: { tenantId }, ids: { id }, query, page: asked }) {
				const webhookId = id as string;
				if ((await webhooks.findById(tenantId, webhookId)) === undefined) throw webhookNotFound();
				const { status, event_type: eventType } = query;
				const filter = { tenantId, webhookId, ...(status && { status }), ...(eventType && { eventType }) };
				const found = await webhookDeliveries.list(filter, asked);
				return { items: found.items.map(toWireDelivery), total: found.total };
			},
		}),

		replay: endpoint<SignedIn>()({
			name: "replayWebhookDelivery",
			summary: "Send a delivery again",
			description:
				"Whatever became of it, it is due at once, with the same `webhook-id` and body, and tried for three days again.",
			ids: { id: "webhook.not_found", delivery_id: "webhook_delivery.not_found" },
			answer: empty(202, "The delivery is due again."),
			errors: ["webhook.disabled"],
			handle: ({ caller, ids: { id, delivery_id: deliveryId }, request }) =>
				replayDelivery(deps, id as string, deliveryId as string, adminContext(caller, request)),
		}),
	};
}
