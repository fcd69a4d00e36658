// The wire forms of webhooks and deliveries.

import {
	isFailing,
	recentAttempts,
	WEBHOOK_DISABLED_REASONS,
	WEBHOOK_STATUSES,
	type Webhook,
} from "../../../domain/webhook.ts";
import {
	WEBHOOK_ANSWER_MAX,
	WEBHOOK_DELIVERY_STATUSES,
	WEBHOOK_HISTORY_MAX,
	type WebhookAttempt,
	type WebhookDelivery,
} from "../../../domain/webhook-delivery.ts";
import { WEBHOOK_DELIVERY_TYPES, WEBHOOK_SUBSCRIPTIONS } from "../../../domain/webhook-event.ts";
import {
	anyObject,
	boolean,
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
import { managedBy } from "../../access/configuration/rows-wire.ts";

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
	failing: boolean(
		"At least a fifth of the attempts of about the last hour failed, or the service disabled it. Without attempts: the last one failed.",
	),
	failing_since: nullable(time("The first failed attempt since the last success.")),
	recent_attempts: integer("Attempts in about the last hour. A failed test does not count."),
	recent_failures: integer("How many of them failed."),
	last_delivered_at: nullable(time()),
	secret_hint: plain("Last four characters of the secret."),
	secret_created_at: time(),
	previous_secret_expires_at: nullable(
		time("Deliveries are also signed with the previous secret until then."),
	),
	created_by: nullable(plain({ format: "uuid" })),
	managed_by: managedBy,
	created_at: time(),
	updated_at: time(),
};

export const webhookSchema = object(fields, { title: "Webhook" });

/** The response of create and rotate. */
export const webhookWithSecretSchema = object(
	{
		...fields,
		secret: plain("`whsec_…`, returned only in this response. Use it to verify deliveries."),
	},
	{ title: "WebhookWithSecret" },
);

const deliveryFields = {
	id: plain({
		format: "uuid",
		description: "Sent as `webhook-id`. Equals the id of the audit event, except for a test.",
	}),
	webhook_id: plain({ format: "uuid" }),
	event_type: choice(WEBHOOK_DELIVERY_TYPES),
	payload: anyObject("The body: `type`, `timestamp`, and `data`."),
	status: choice(WEBHOOK_DELIVERY_STATUSES, { description: "`failed` deliveries can be replayed." }),
	attempts: integer("The number of attempts in total, including replays and the current attempt."),
	next_attempt_at: nullable(time("Null if no attempt is scheduled.")),
	last_attempt_at: nullable(time()),
	last_status_code: nullable(integer("Null without a response.")),
	last_error: plain('Why the last attempt failed; `""` if it succeeded.'),
	created_at: time(),
	finished_at: nullable(time()),
};

export const webhookDeliverySchema = object(deliveryFields, { title: "WebhookDelivery" });

const attemptSchema = object({
	at: time(),
	ms: integer("How long the attempt took."),
	status_code: nullable(integer("Null without a response.")),
	error: plain('Why it failed; `""` if it succeeded.'),
	answer: plain(`The first ${WEBHOOK_ANSWER_MAX} bytes of a response that is no success.`),
});

export const webhookDeliveryWithHistorySchema = object(
	{
		...deliveryFields,
		history: list(attemptSchema, { description: `The last ${WEBHOOK_HISTORY_MAX} attempts, oldest first.` }),
	},
	{ title: "WebhookDeliveryWithHistory" },
);

const toWireFields = toWire(webhookSchema);

export function toWireWebhook(webhook: Webhook, nowMs: number): Infer<typeof webhookSchema> {
	const { attempts, failures } = recentAttempts(webhook, nowMs);
	const counts = { failing: isFailing(webhook, nowMs), recentAttempts: attempts, recentFailures: failures };
	return toWireFields({ ...webhook, ...counts });
}

const toWireForm = toWire(webhookDeliverySchema);

const toWireAttempt = toWire(attemptSchema);
const toWireHistory = toWire(webhookDeliveryWithHistorySchema);

export function toWireDeliveryWithHistory(
	delivery: WebhookDelivery & { readonly history: readonly WebhookAttempt[] },
): Infer<typeof webhookDeliveryWithHistorySchema> {
	return toWireHistory({ ...delivery, ...shownOf(delivery), history: delivery.history.map(toWireAttempt) });
}

export function toWireDelivery(delivery: WebhookDelivery): Infer<typeof webhookDeliverySchema> {
	return toWireForm({ ...delivery, ...shownOf(delivery) });
}

const shownOf = ({ payload, status, nextAttemptAtMs }: WebhookDelivery) => ({
	payload: parseJson(isMembers, payload),
	nextAttemptAtMs: status === "pending" ? nextAttemptAtMs : null,
});
