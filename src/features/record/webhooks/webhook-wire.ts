// The wire forms of webhooks and deliveries.

import { WEBHOOK_DISABLED_REASONS, WEBHOOK_STATUSES } from "../../../domain/webhook.ts";
import { WEBHOOK_DELIVERY_STATUSES, type WebhookDelivery } from "../../../domain/webhook-delivery.ts";
import { WEBHOOK_DELIVERY_TYPES, WEBHOOK_SUBSCRIPTIONS } from "../../../domain/webhook-event.ts";
import {
	anyObject,
	choice,
	type Infer,
	integer,
	list,
	nullable,
	object,
	plain,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { isMembers, parseJson } from "../../../kernel/shape.ts";

const fields = {
	id: plain({ format: "uuid" }),
	tenant_id: plain({ format: "uuid" }),
	url: plain({ format: "uri" }),
	description: plain(),
	event_types: list(choice(WEBHOOK_SUBSCRIPTIONS), {
		description: "`user.*` means every event that begins with `user.`, including those of later versions.",
	}),
	status: choice(WEBHOOK_STATUSES),
	disabled_reason: choice(WEBHOOK_DISABLED_REASONS, {
		description:
			"Who disabled it: an administrator (`admin`), the service after three days without success (`failing`), or the receiver with a 410 (`gone`).",
	}),
	failing_since: nullable(time({ description: "The first failed attempt since the last success." })),
	last_delivered_at: nullable(time()),
	secret_hint: plain({ description: "Last four characters of the secret." }),
	secret_created_at: time(),
	previous_secret_expires_at: nullable(
		time({ description: "Deliveries are also signed with the previous secret until then." }),
	),
	created_by: nullable(plain({ format: "uuid" })),
	created_at: time(),
	updated_at: time(),
};

export const webhookSchema = object(fields, { title: "Webhook" });

/** The response of create and rotate. */
export const webhookWithSecretSchema = object(
	{
		...fields,
		secret: plain({ description: "`whsec_…`, returned only in this response. Use it to verify deliveries." }),
	},
	{ title: "WebhookWithSecret" },
);

export const webhookDeliverySchema = object(
	{
		id: plain({
			format: "uuid",
			description: "Sent as `webhook-id`. Equals the id of the audit event, except for a test.",
		}),
		webhook_id: plain({ format: "uuid" }),
		event_type: choice(WEBHOOK_DELIVERY_TYPES),
		payload: anyObject({ description: "The body: `type`, `timestamp`, and `data`." }),
		status: choice(WEBHOOK_DELIVERY_STATUSES, { description: "`failed` deliveries can be replayed." }),
		attempts: integer({
			description: "The number of attempts in total, including replays and the current attempt.",
		}),
		next_attempt_at: nullable(time({ description: "Null if no attempt is scheduled." })),
		last_attempt_at: nullable(time()),
		last_status_code: nullable(integer({ description: "Null without a response." })),
		last_error: plain({ description: 'Why the last attempt failed; `""` if it succeeded.' }),
		created_at: time(),
		finished_at: nullable(time()),
	},
	{ title: "WebhookDelivery" },
);

export const toWireWebhook = toWire(webhookSchema);

const toWireForm = toWire(webhookDeliverySchema);

export function toWireDelivery(delivery: WebhookDelivery): Infer<typeof webhookDeliverySchema> {
	return toWireForm({
		...delivery,
		payload: parseJson(isMembers, delivery.payload),
		nextAttemptAtMs: delivery.status === "pending" ? delivery.nextAttemptAtMs : null,
	});
}
