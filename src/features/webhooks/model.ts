// Webhooks: who is told of which events, the deliveries that wait or were made, and how they leave.

import { DAY_MS } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";
import type { AuditEntry } from "../audit/model.ts";

/** The public name of what an audit action says happened. Actions that are not here are nobody's business outside. */
const TYPE_OF_ACTION = {
	"access_request.submitted": "access_request.submitted",
	"access_request.approved": "access_request.approved",
	"access_request.rejected": "access_request.rejected",
	"access_request.withdrawn": "access_request.withdrawn",
	"access_request.claim_resent": "access_request.claim_resent",
	"api_client.created": "api_client.created",
	"api_client.claimed": "api_client.claimed",
	"api_client.updated": "api_client.updated",
	"api_client.deleted": "api_client.deleted",
	"api_client.secret_regenerated": "api_client.secret_regenerated",
	"api_client.secret_rotated": "api_client.secret_rotated",
	"grant.created": "grant.created",
	"grant.updated": "grant.updated",
	"grant.removed": "grant.removed",
	"user.signed_in": "session.started",
	"user.signed_out": "session.ended",
	"session.ended": "session.ended",
	"session.refresh_reused": "session.refresh_reused",
	"user.sessions_revoked": "session.all_ended",
	"user.created": "user.created",
	"user.registered": "user.registered",
	"user.updated": "user.updated",
	"user.deleted": "user.deleted",
	"user.password_changed": "user.password_changed",
	"user.password_reset": "user.password_reset",
	"user.password_locked": "user.password_locked",
	"user.email_changed": "user.email_changed",
	"user.email_restored": "user.email_restored",
} as const;

export type WebhookEventType = (typeof TYPE_OF_ACTION)[keyof typeof TYPE_OF_ACTION];
export type WebhookEventGroup = `${"access_request" | "api_client" | "grant" | "session" | "user"}.*`;

/** Each event type once. */
export const WEBHOOK_EVENT_TYPES: readonly WebhookEventType[] = [...new Set(Object.values(TYPE_OF_ACTION))];
/** Every type with that beginning, those of later versions too. */
export const WEBHOOK_EVENT_GROUPS: readonly WebhookEventGroup[] = [
	"access_request.*",
	"api_client.*",
	"grant.*",
	"session.*",
	"user.*",
];
/** What a webhook may subscribe to. */
export const WEBHOOK_SUBSCRIPTIONS: readonly (WebhookEventType | WebhookEventGroup)[] = [
	...WEBHOOK_EVENT_GROUPS,
	...WEBHOOK_EVENT_TYPES,
];
export type WebhookSubscription = (typeof WEBHOOK_SUBSCRIPTIONS)[number];

/** The event type of an audit entry; undefined when webhooks are not told of it. */
export function findWebhookEventType(action: string): WebhookEventType | undefined {
	return Object.hasOwn(TYPE_OF_ACTION, action)
		? TYPE_OF_ACTION[action as keyof typeof TYPE_OF_ACTION]
		: undefined;
}

/** Details that may leave: ids, a state, the names of changed fields. Names, addresses and values of fields stay. */
const PUBLIC_DETAILS = new Set([
	"access_request_id",
	"api_client_id",
	"app_id",
	"fields",
	"group_id",
	"session_id",
	"status",
	"user_id",
]);

/**
 * The body of a delivery, the same bytes at every attempt: `{ type, timestamp, data }`, where `data` holds
 * `tenant_id`, `actor`, the id of the thing acted upon as `<noun>_id`, and further ids.
 */
export function webhookPayload(type: WebhookEventType, entry: AuditEntry, atMs: number): string {
	const [noun = "", id = ""] = entry.target.split(":");
	const details = Object.entries(entry.details ?? {}).filter(
		([name, value]) => PUBLIC_DETAILS.has(name) && value !== null,
	);
	return JSON.stringify({
		type,
		timestamp: new Date(atMs).toISOString(),
		data: {
			tenant_id: entry.tenantId,
			actor: entry.actor,
			...Object.fromEntries(details),
			...(id === "" ? {} : { [`${noun}_id`]: id }),
		},
	});
}

export const WEBHOOKS_MAX = 50;
export const WEBHOOK_URL_MAX = 2_048;
export const WEBHOOK_DESCRIPTION_MAX = 500;
export const WEBHOOK_OVERLAP_SECONDS = 86_400;
export const WEBHOOK_OVERLAP_SECONDS_MAX = 30 * 86_400;
/** From the event (or its replay) to the last attempt. */
export const WEBHOOK_GIVE_UP_MS = 3 * DAY_MS;
/** Finished deliveries are kept this long, to be looked at and replayed. */
export const WEBHOOK_DELIVERIES_KEPT_MS = 30 * DAY_MS;

export const WEBHOOK_STATUSES = ["active", "disabled"] as const;
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];
/** Who disabled it: an `admin`; the service after three days of failures (`failing`); the receiver, by 410 (`gone`). */
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
	/** Until then deliveries are signed with the secret before too. */
	readonly previousSecretExpiresAtMs: number | null;
	/** The first attempt that failed since one was accepted. */
	readonly failingSinceMs: number | null;
	readonly lastDeliveredAtMs: number | null;
	readonly createdBy: string | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** Both open with `webhookContext(webhook.id)` as associated data. */
export interface SealedWebhookSecrets {
	readonly secretSealed: string;
	readonly previousSecretSealed: string | null;
}

export interface NewWebhookSecret extends SealedWebhookSecrets {
	readonly secretHint: string;
	readonly secretCreatedAtMs: number;
	readonly previousSecretExpiresAtMs: number | null;
}

/** Associated data of a webhook's sealed secrets. */
export function webhookContext(webhookId: string): string {
	return `webhook:${webhookId}`;
}

/** What an update may touch; absent means unchanged. */
export type WebhookChanges = Partial<Pick<Webhook, "url" | "description" | "eventTypes" | "status">>;

export interface WebhookStore {
	/** @returns false when the tenant has `max` webhooks already; exact only for callers that come one by one. */
	insert(webhook: Webhook & SealedWebhookSecrets, max: number): Promise<boolean>;
	findById(tenantId: string, id: string): Promise<(Webhook & SealedWebhookSecrets) | undefined>;
	list(
		query: { readonly tenantId: string; readonly status?: WebhookStatus },
		page: PageQuery,
	): Promise<Page<Webhook>>;
	/** A status by an admin's hand: `active` also forgets the failures, `disabled` has the reason `admin`. */
	update(tenantId: string, id: string, changes: WebhookChanges, nowMs: number): Promise<boolean>;
	/** `expected` is the sealed secret it replaces, compared in the same statement, so that of two at once one wins. */
	replaceSecret(
		tenantId: string,
		id: string,
		expected: string,
		secret: NewWebhookSecret,
		nowMs: number,
	): Promise<boolean>;
	/** Its deliveries go with it. */
	remove(tenantId: string, id: string): Promise<boolean>;
	/** An attempt was accepted: it is not failing (any more). */
	noteDelivered(id: string, nowMs: number): Promise<void>;
	/** An attempt failed. @returns when one was last accepted; undefined when the webhook is gone. */
	noteFailing(id: string, nowMs: number): Promise<{ readonly lastDeliveredAtMs: number | null } | undefined>;
	/** Unless it is disabled already. */
	disable(id: string, reason: "failing" | "gone", nowMs: number): Promise<boolean>;
}

export const WEBHOOK_DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type WebhookDeliveryStatus = (typeof WEBHOOK_DELIVERY_STATUSES)[number];

/** One event on its way to one webhook. */
export interface WebhookDelivery {
	/** The id of the audit event, `webhook-id` at every attempt; unique within the webhook. */
	readonly id: string;
	readonly webhookId: string;
	readonly tenantId: string;
	readonly eventType: WebhookEventType;
	/** JSON text, exactly the bytes that are sent. */
	readonly payload: string;
	readonly status: WebhookDeliveryStatus;
	readonly attempts: number;
	/** Or, while an attempt is under way, when another begins if nobody hears of this one again. */
	readonly nextAttemptAtMs: number;
	readonly lastAttemptAtMs: number | null;
	readonly lastStatusCode: number | null;
	readonly lastError: string;
	readonly createdAtMs: number;
	readonly finishedAtMs: number | null;
}

export interface WebhookDeliveryQuery {
	readonly tenantId: string;
	readonly webhookId: string;
	readonly status?: WebhookDeliveryStatus;
	readonly eventType?: WebhookEventType;
}

/** A webhook with deliveries due, and what is needed to make them. */
export interface DueWebhook extends SealedWebhookSecrets {
	readonly id: string;
	readonly url: string;
	readonly previousSecretExpiresAtMs: number | null;
	readonly isFailing: boolean;
}

/** A delivery handed out for one attempt, this one counted. */
export interface ClaimedWebhookDelivery {
	readonly id: string;
	readonly webhookId: string;
	readonly tenantId: string;
	readonly eventType: WebhookEventType;
	readonly payload: string;
	/** Of all rounds; a mark counts only while it is still this. */
	readonly attempts: number;
	/** Since the event, or since the last replay. */
	readonly roundAttempts: number;
	/** The last attempt is made at this time. */
	readonly giveUpAtMs: number;
}

/** How an attempt ended; `statusCode` is null when there was no answer. `error` is safe to store and show. */
export interface AttemptMark {
	readonly atMs: number;
	readonly statusCode: number | null;
	readonly error: string;
}

export interface WebhookDeliveryStore {
	findById(tenantId: string, webhookId: string, id: string): Promise<WebhookDelivery | undefined>;
	list(query: WebhookDeliveryQuery, page: PageQuery): Promise<Page<WebhookDelivery>>;
	/** Due now, whatever became of it, with the whole of its time before it. */
	replay(tenantId: string, webhookId: string, id: string, nowMs: number): Promise<boolean>;
	/** Gives up everything that waits. @returns how many. */
	failPending(webhookId: string, nowMs: number, error: string): Promise<number>;
	/** Active webhooks with something due, over all tenants. One index look-up a webhook: asked twice a second. */
	listDue(nowMs: number): Promise<DueWebhook[]>;
	/**
	 * In a transaction: takes up to `limit` due deliveries, the longest due first, and makes each due again at
	 * `nowMs + leaseMs`: what a process that died had taken comes back by itself. Two callers are never given the same.
	 */
	claim(
		webhookId: string,
		nowMs: number,
		limit: number,
		leaseMs: number,
	): Promise<readonly ClaimedWebhookDelivery[]>;
	/** Final until replayed. @returns false when it was claimed again, or is gone. */
	finish(
		claimed: ClaimedWebhookDelivery,
		status: "delivered" | "failed",
		mark: AttemptMark,
	): Promise<boolean>;
	/** Due again at `nextAttemptAtMs`. @returns as `finish`. */
	retry(claimed: ClaimedWebhookDelivery, nextAttemptAtMs: number, mark: AttemptMark): Promise<boolean>;
	/** Deletes up to `limit` that were finished before. @returns how many. */
	purge(finishedBeforeMs: number, limit: number): Promise<number>;
}

export interface WebhookRequest {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

export interface WebhookAnswer {
	readonly statusCode: number;
	/** Of a `Retry-After` header in seconds. */
	readonly retryAfterSeconds: number | undefined;
}

/** How a delivery leaves. */
export interface WebhookSender {
	/** Resolves with any answer, whatever its status; takes 5 s at most. @throws WebhookSendError when there was none. */
	send(request: WebhookRequest): Promise<WebhookAnswer>;
}

/** Why there was no answer, in words an administrator of the tenant may read: no addresses of ours, nothing of the answer. */
export class WebhookSendError extends Error {
	constructor(message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "WebhookSendError";
	}
}

export function webhookNotFound(): AppError {
	return new AppError("webhook.not_found", "no such webhook");
}
