// Tables of the audit trail, outgoing mail, and webhooks.

import { mailContext } from "../../../domain/mail.ts";
import type { RefusalSubject } from "../../../domain/refusal.ts";
import type { CountedMeasure, ObservedMeasure, StatisticsStep } from "../../../domain/statistics.ts";
import type { ManagedBy } from "../../../domain/tenant.ts";
import { type WebhookDisabledReason, type WebhookStatus, webhookContext } from "../../../domain/webhook.ts";
import { areWebhookAttempts, type WebhookDeliveryStatus } from "../../../domain/webhook-delivery.ts";
import type { WebhookDeliveryType, WebhookSubscription } from "../../../domain/webhook-event.ts";
import { enclosedList, integer, json, key, nullable, ofTenant, sealed, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { KEPT, repaired } from "../table-policy.ts";

export const mailOutbox = table(
	"mail_outbox",
	repaired(
		{
			description: "",
			sql: () => "UPDATE mail_outbox SET payload_sealed = '' WHERE status = 'failed'",
		},
		{
			description: "waiting mails abandoned: they may already have been sent, and their links are invalid",
			sql: (nowMs) =>
				`UPDATE mail_outbox SET status = 'failed', payload_sealed = '', last_error = 'abandoned by a restore', finished_at = ${nowMs}
						 WHERE status = 'due'`,
		},
	),
	{
		...ofTenant,
		status: text<"due" | "sent" | "failed" | "dropped">(),
		payloadSealed: sealed(mailContext),
		attempts: integer(),
		nextAttemptAtMs: integer(),
		lastError: text(),
		createdAtMs: integer(),
		finishedAtMs: nullable(integer()),
		/** `""` for mails to unreachable addresses, which are not listed. */
		recipient: text(),
		subject: text(),
		earlierAttempts: integer(),
	},
);

export const auditHeads = table("audit_heads", KEPT, {
	tenantId: key(text()),
	sequence: integer(),
	hash: text(),
	atMs: integer(),
	latestAtMs: integer(),
});

export const auditEvents = table("audit_events", KEPT, {
	tenantId: key(text()),
	sequence: key(integer()),
	atMs: integer(),
	id: text(),
	actor: text(),
	action: text(),
	target: text(),
	ip: text(),
	requestId: text(),
	details: text(),
	chainVersion: integer(),
	actorName: text(),
	targetName: text(),
	changes: text(),
	hash: text(),
});

export const auditCheckpoints = table("audit_checkpoints", KEPT, {
	tenantId: key(text()),
	sequence: key(integer()),
	hash: text(),
	statement: text(),
	createdAtMs: integer(),
});

export const webhooksWithSecrets = table("webhooks", KEPT, {
	...ofTenant,
	url: text(),
	description: text(),
	eventTypes: enclosedList<WebhookSubscription>(),
	status: text<WebhookStatus>(),
	disabledReason: text<WebhookDisabledReason>(),
	secretSealed: sealed(webhookContext),
	secretHint: text(),
	secretCreatedAtMs: integer(),
	previousSecretSealed: nullable(sealed(webhookContext)),
	previousSecretExpiresAtMs: nullable(integer()),
	failingSinceMs: nullable(integer()),
	recentSinceMs: nullable(integer()),
	recentAttempts: integer(),
	recentFailures: integer(),
	lastDeliveredAtMs: nullable(integer()),
	createdBy: nullable(text()),
	managedBy: nullable(text<ManagedBy>()),
	...timestamps,
});
export const webhooks = webhooksWithSecrets.without("secretSealed", "previousSecretSealed");

/** A replay resets `roundAttempts` and `giveUpAtMs`, but not `attempts`. */
export const storedWebhookDeliveries = table(
	"webhook_deliveries",
	repaired({
		description: "waiting webhook deliveries abandoned: they may already have been sent; replay missing ones",
		sql: (nowMs) =>
			`UPDATE webhook_deliveries SET status = 'failed', last_error = 'abandoned by a restore', finished_at = ${nowMs}
						 WHERE status = 'pending'`,
	}),
	{
		webhookId: key(text()),
		...ofTenant,
		eventType: text<WebhookDeliveryType>(),
		payload: text(),
		status: text<WebhookDeliveryStatus>(),
		attempts: integer(),
		roundAttempts: integer(),
		nextAttemptAtMs: integer(),
		giveUpAtMs: integer(),
		lastAttemptAtMs: nullable(integer()),
		lastStatusCode: nullable(integer()),
		lastError: text(),
		createdAtMs: integer(),
		finishedAtMs: nullable(integer()),
		history: json(areWebhookAttempts),
	},
);
export const webhookDeliveries = storedWebhookDeliveries.without("roundAttempts", "giveUpAtMs", "history");

export const statistics = table("statistics", KEPT, {
	tenantId: key(text()),
	subjectId: key(text()),
	step: key(text<StatisticsStep>()),
	atMs: key(integer()),
	measure: key(text<CountedMeasure | ObservedMeasure>()),
	code: key(text()),
	total: integer(),
});

export const refusals = table("refusals", KEPT, {
	...ofTenant,
	subject: text<RefusalSubject>(),
	apiClientId: nullable(text()),
	applicationId: nullable(text()),
	atMs: integer(),
	code: text(),
	reason: nullable(text()),
	method: text(),
	path: text(),
	rule: nullable(integer()),
	caller: text(),
	ip: text(),
	requestId: text(),
});
