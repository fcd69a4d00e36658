// `/webhooks/{id}/deliveries` and `/webhooks/{id}/test`: lists deliveries, replays them, and sends a test.

import type { Administrator } from "../../../domain/caller.ts";
import { webhookNotFound } from "../../../domain/webhook.ts";
import { WEBHOOK_DELIVERY_STATUSES, WEBHOOK_REPLAY_MAX } from "../../../domain/webhook-delivery.ts";
import { WEBHOOK_DELIVERY_TYPES, WEBHOOK_TEST_TYPE } from "../../../domain/webhook-event.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { oneOf, timeText } from "../../../http/describe/query-parameters.ts";
import { choice, integer, object, optional } from "../../../http/describe/schema.ts";
import { found } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { deliveryNotFound, replayDelivery, replayFailed, sendTest } from "./queue-delivery.ts";
import {
	toWireDelivery,
	toWireDeliveryWithHistory,
	webhookDeliverySchema,
	webhookDeliveryWithHistorySchema,
} from "./webhook-wire.ts";

const eventType = choice(WEBHOOK_DELIVERY_TYPES);
const replayBody = object({
	event_type: optional({
		...eventType,
		description: "Only deliveries of this event. Default: all except `webhook.test`.",
	}),
});
const testBody = object({
	event_type: optional({ ...eventType, description: "Default: `webhook.test`." }),
});

export function webhookDeliveriesEndpoints(platform: Platform) {
	const { webhooks, webhookDeliveries } = platform.db.stores;
	return {
		list: endpoint<Administrator>()({
			name: "listWebhookDeliveries",
			summary: "List the deliveries of a webhook",
			description:
				"`from` (inclusive) and `to` (exclusive) limit when the event happened, not when a delivery was attempted. Finished deliveries are kept for 30 days.",
			ids: { id: "webhook.not_found" },
			query: {
				status: oneOf(WEBHOOK_DELIVERY_STATUSES),
				event_type: oneOf(WEBHOOK_DELIVERY_TYPES),
				from: timeText(),
				to: timeText(),
			},
			response: page(webhookDeliverySchema, "Deliveries of the webhook, newest event first."),
			async handle({ caller: { tenantId }, ids: { id: webhookId }, query, page }) {
				found(await webhooks.findById(tenantId, webhookId), webhookNotFound);
				const { status, event_type: eventType, from: fromMs, to: toMs } = query;
				const filter = { tenantId, webhookId, status, eventType, fromMs, toMs };
				return mapPage(await webhookDeliveries.list(filter, page), toWireDelivery);
			},
		}),

		get: endpoint<Administrator>()({
			name: "getWebhookDelivery",
			summary: "Get a delivery with its attempts",
			ids: { id: "webhook.not_found", delivery_id: "webhook_delivery.not_found" },
			response: data(200, webhookDeliveryWithHistorySchema, "The delivery, with its last attempts."),
			handle: async ({ caller: { tenantId }, ids: { id, delivery_id: deliveryId } }) =>
				toWireDeliveryWithHistory(
					found(await webhookDeliveries.findById(tenantId, id, deliveryId), deliveryNotFound),
				),
		}),

		replayFailed: endpoint<Administrator>()({
			name: "replayFailedWebhookDeliveries",
			summary: "Send all failed deliveries again",
			description: `Makes up to ${WEBHOOK_REPLAY_MAX} failed deliveries due immediately, the oldest first, with the same \`webhook-id\` and body. Repeat the request while it returns ${WEBHOOK_REPLAY_MAX}.`,
			ids: { id: "webhook.not_found" },
			body: replayBody,
			response: data(
				202,
				object({ replayed: integer() }, { title: "ReplayedDeliveries" }),
				"How many deliveries are due again.",
			),
			errors: ["webhook.disabled"],
			handle: async ({ caller, ids: { id }, body }) => ({
				replayed: await replayFailed(platform, id, body.event_type, caller),
			}),
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
				"Sends `webhook.test`, or an example of another event with `test: true` and ids that consist of zeros, signed like every delivery, regardless of the webhook's subscriptions. It is attempted once, and a failure does not count against the webhook. The result is listed with the deliveries, as `webhook.test`.",
			ids: { id: "webhook.not_found" },
			body: testBody,
			response: data(202, webhookDeliverySchema, "The delivery, which is due immediately."),
			errors: ["webhook.disabled"],
			handle: async ({ caller, ids: { id }, body: { event_type: type = WEBHOOK_TEST_TYPE } }) =>
				toWireDelivery(await sendTest(platform, id, type, caller)),
		}),
	};
}
