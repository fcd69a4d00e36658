// Webhooks: endpoints of a tenant that receive events.

import { HOUR_MS } from "../kernel/clock.ts";
import { AppError } from "../kernel/error.ts";
import type { ManagedBy } from "./tenant.ts";
import type { WebhookSubscription } from "./webhook-event.ts";

export const WEBHOOKS_MAX = 50;
export const WEBHOOK_URL_MAX = 2_048;
export const WEBHOOK_DESCRIPTION_MAX = 500;

/** The share of failures is that of about this time. */
export const WEBHOOK_RECENT_MS = HOUR_MS;

export const WEBHOOK_STATUSES = ["active", "disabled"] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];
/**
 * Disabled by an `admin`, by the service after three days of failures (`failing`), or by the receiver with 410
 * (`gone`).
 */
export const WEBHOOK_DISABLED_REASONS = ["", "admin", "failing", "gone"] as const;
export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

export interface Webhook {
	readonly id: string;
	readonly tenantId: string;
	/** https, in canonical text. */
	readonly url: string;
	readonly description: string;
	readonly eventTypes: readonly WebhookSubscription[];
	readonly status: WebhookStatus;
	readonly disabledReason: WebhookDisabledReason;
	/** Last four characters of the secret. */
	readonly secretHint: string;
	readonly secretCreatedAtMs: number;
	/** Until this time, deliveries are also signed with the previous secret. */
	readonly previousSecretExpiresAtMs: number | null;
	/** The first failed attempt since the last success. */
	readonly failingSinceMs: number | null;
	/** When the recent attempts began to be counted. After an hour, half of them is forgotten, and after two, all. */
	readonly recentSinceMs: number | null;
	readonly recentAttempts: number;
	readonly recentFailures: number;
	readonly lastDeliveredAtMs: number | null;
	readonly createdBy: string | null;
	readonly managedBy: ManagedBy | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** The attempts of about the last hour. */
export interface RecentAttempts {
	readonly attempts: number;
	readonly failures: number;
}

export function recentAttempts(webhook: Webhook, nowMs: number): RecentAttempts {
	const { recentSinceMs, recentAttempts: attempts, recentFailures: failures } = webhook;
	if (recentSinceMs === null || recentSinceMs <= nowMs - 2 * WEBHOOK_RECENT_MS)
		return { attempts: 0, failures: 0 };
	return { attempts, failures };
}

/**
 * A fifth of the recent attempts failed; without any, the last one did. One success among failures is no recovery. Or the
 * service has disabled it for that.
 */
export function isFailing(webhook: Webhook, nowMs: number): boolean {
	const { status, disabledReason, failingSinceMs } = webhook;
	if (status === "disabled") return disabledReason === "failing" || disabledReason === "gone";
	const { attempts, failures } = recentAttempts(webhook, nowMs);
	return attempts === 0 ? failingSinceMs !== null : failures * 5 >= attempts;
}

/** Both open with `webhookContext(webhook.id)` as associated data. */
export interface SealedWebhookSecrets {
	readonly secretSealed: string;
	readonly previousSecretSealed: string | null;
}

export type NewWebhookSecret = Pick<
	Webhook & SealedWebhookSecrets,
	"secretSealed" | "secretHint" | "secretCreatedAtMs" | "previousSecretExpiresAtMs"
>;

/** Associated data of a webhook's sealed secrets. */
export function webhookContext(webhookId: string): string {
	return `webhook:${webhookId}`;
}

/** The fields that an update may change; absent means unchanged. */
export type WebhookChanges = Partial<Pick<Webhook, "url" | "description" | "eventTypes" | "status">>;

export interface WebhookStore {
	/** Inside a transaction. @returns false when the tenant already has `max` webhooks; locks the tenant to count them. */
	insert(webhook: Webhook & SealedWebhookSecrets, max: number): Promise<boolean>;
	findById(tenantId: string, id: string): Promise<(Webhook & SealedWebhookSecrets) | undefined>;
	/** The newest first: at most `WEBHOOKS_MAX`. */
	listAll(query: { readonly tenantId: string; readonly status?: WebhookStatus }): Promise<Webhook[]>;
	/** An admin sets the status: `active` also clears failures, and `disabled` sets the reason `admin`. */
	update(tenantId: string, id: string, changes: WebhookChanges, nowMs: number): Promise<boolean>;
	/** In one statement, the current secret becomes the previous one, unless `previousSecretExpiresAtMs` is null. */
	rotateSecret(tenantId: string, id: string, secret: NewWebhookSecret): Promise<boolean>;
	/** Also deletes its deliveries. */
	remove(tenantId: string, id: string): Promise<boolean>;
	/** Records a successful attempt: the webhook is no longer failing. */
	noteDelivered(id: string, nowMs: number): Promise<void>;
	/** Records a failed attempt. @returns undefined when the webhook was deleted. */
	noteFailing(
		id: string,
		nowMs: number,
	): Promise<Pick<Webhook, "id" | "url" | "lastDeliveredAtMs"> | undefined>;
	/** @returns false when it is already disabled. */
	disable(id: string, reason: "failing" | "gone", nowMs: number): Promise<boolean>;
}

export function webhookNotFound(): AppError {
	return new AppError("webhook.not_found", "no such webhook");
}
