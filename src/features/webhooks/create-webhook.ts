// Makes a webhook; its secret is shown by this answer and never again.

import type { SecretBox } from "../../crypto/secret-box.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError, invalidField } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	WEBHOOK_SUBSCRIPTIONS,
	WEBHOOKS_MAX,
	type Webhook,
	type WebhookStore,
	type WebhookSubscription,
} from "./model.ts";
import { parseTargetUrl } from "./target-url.ts";
import { issueWebhookSecret } from "./webhook-secret.ts";

export interface CreateWebhookDeps {
	readonly db: Persistence<{ webhooks: WebhookStore; audit: AuditLog }>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
	readonly isAllowedAddress: (ip: IpAddress) => boolean;
}

export interface NewWebhook {
	readonly url: string;
	readonly description: string;
	readonly eventTypes: readonly WebhookSubscription[];
}

/** @throws AppError `request.invalid` (`url`, `event_types`), `webhook.too_many`. */
export async function createWebhook(
	{ db, secretBox, clock, isAllowedAddress }: CreateWebhookDeps,
	wanted: NewWebhook,
	{ tenantId, actor, origin }: AdminContext,
): Promise<{ readonly webhook: Webhook; readonly secretPlain: string }> {
	const now = clock();
	const id = newId(now);
	const { secretPlain, secretSealed, secretHint } = issueWebhookSecret(secretBox, id);
	const webhook: Webhook = {
		id,
		tenantId,
		url: parseTargetUrl(wanted.url, isAllowedAddress),
		description: wanted.description,
		eventTypes: sortSubscriptions(wanted.eventTypes),
		status: "active",
		disabledReason: "",
		secretHint,
		secretCreatedAtMs: now,
		previousSecretExpiresAtMs: null,
		failingSinceMs: null,
		lastDeliveredAtMs: null,
		createdBy: actor.startsWith("user:") ? actor.slice("user:".length) : null,
		createdAtMs: now,
		updatedAtMs: now,
	};
	await db.transaction(async ({ webhooks, audit }) => {
		// First: events of one tenant are appended one by one, so whoever is next counts what this one has inserted.
		await audit.append({
			tenantId,
			actor,
			action: "webhook.created",
			target: `webhook:${id}`,
			origin,
			details: { host: hostOf(webhook.url), event_types: webhook.eventTypes },
		});
		const row = { ...webhook, secretSealed, previousSecretSealed: null };
		if (!(await webhooks.insert(row, WEBHOOKS_MAX))) {
			throw new AppError("webhook.too_many", `a tenant has at most ${WEBHOOKS_MAX} webhooks`);
		}
	});
	return { webhook, secretPlain };
}

/** Each once, in the order of the catalogue. @throws AppError `request.invalid` when there is none. */
export function sortSubscriptions(wanted: readonly WebhookSubscription[]): WebhookSubscription[] {
	if (wanted.length === 0) throw invalidField("event_types", "must name at least one event type");
	return WEBHOOK_SUBSCRIPTIONS.filter((type) => wanted.includes(type));
}

/** What the audit trail keeps of a URL: its path or query may be a secret of the receiver's. */
export function hostOf(url: string): string {
	return new URL(url).host;
}
