// Deliveries of events to webhooks.

import { DAY_MS } from "../kernel/clock.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import { either, isNumber, isText, listOf, objectOf, type Shape } from "../kernel/shape.ts";
import type { SealedWebhookSecrets } from "./webhook.ts";
import type { WebhookDeliveryType } from "./webhook-event.ts";

const isNull: Shape<null> = (value) => value === null;

/** Time from the event (or its replay) to the last attempt. */
export const WEBHOOK_GIVE_UP_MS = 3 * DAY_MS;
/** Finished deliveries are kept this long, for inspection and replay. */
export const WEBHOOK_DELIVERIES_KEPT_MS = 30 * DAY_MS;

/** The last attempts of a delivery that are listed. */
export const WEBHOOK_HISTORY_MAX = 20;
/** Bytes of a refusal that are kept. */
export const WEBHOOK_ANSWER_MAX = 1_024;
/** Failed deliveries that one request sends again. */
export const WEBHOOK_REPLAY_MAX = 500;

export const WEBHOOK_DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export type WebhookDeliveryStatus = (typeof WEBHOOK_DELIVERY_STATUSES)[number];

export interface WebhookDelivery {
	/** The `webhook-id` header of every attempt: the id of the audit event, or a new id for a test. Unique per webhook. */
	readonly id: string;
	readonly webhookId: string;
	readonly tenantId: string;
	readonly eventType: WebhookDeliveryType;
	/** JSON text, the exact bytes to send. */
	readonly payload: string;
	readonly status: WebhookDeliveryStatus;
	readonly attempts: number;
	/** During an attempt, the time of the next one in case this process dies. */
	readonly nextAttemptAtMs: number;
	readonly lastAttemptAtMs: number | null;
	readonly lastStatusCode: number | null;
	readonly lastError: string;
	readonly createdAtMs: number;
	readonly finishedAtMs: number | null;
}

/** One attempt; `statusCode` is null if there was no response. `error` is safe to store and show. */
export interface WebhookAttempt {
	readonly atMs: number;
	/** How long it took. */
	readonly ms: number;
	readonly statusCode: number | null;
	readonly error: string;
	/** How the response began, if it was no success. */
	readonly answer: string;
}

export const areWebhookAttempts = listOf(
	objectOf<WebhookAttempt>({
		atMs: isNumber,
		ms: isNumber,
		statusCode: either(isNumber, isNull),
		error: isText,
		answer: isText,
	}),
);

export type NewWebhookDelivery = Pick<
	WebhookDelivery,
	"id" | "webhookId" | "tenantId" | "eventType" | "payload" | "createdAtMs"
>;

export interface WebhookDeliveryQuery {
	readonly tenantId: string;
	readonly webhookId: string;
	readonly status?: WebhookDeliveryStatus | undefined;
	readonly eventType?: WebhookDeliveryType | undefined;
	/** Of its creation: inclusive. */
	readonly fromMs?: number | undefined;
	/** Exclusive. */
	readonly toMs?: number | undefined;
}

/** A webhook with due deliveries. */
export interface DueWebhook extends SealedWebhookSecrets {
	readonly id: string;
	readonly url: string;
	readonly previousSecretExpiresAtMs: number | null;
	readonly isFailing: boolean;
}

/** A delivery claimed for one attempt, which is already counted. */
export interface ClaimedWebhookDelivery extends Omit<NewWebhookDelivery, "createdAtMs"> {
	/** Across all rounds. An outcome is recorded only while this is unchanged. */
	readonly attempts: number;
	/** Since the event, or since the last replay. */
	readonly roundAttempts: number;
	/** The time of the last attempt. */
	readonly giveUpAtMs: number;
	/** Earlier attempts, JSON text. */
	readonly history: string;
}

/** The deliveries of all tenants that wait for an attempt. The times are null if none is waiting. */
export interface DeliveryBacklog {
	readonly waiting: number;
	/** When the oldest was queued or replayed. */
	readonly oldestAtMs: number | null;
	/** When the next attempt is due or a lease expires (may be past). */
	readonly nextAtMs: number | null;
}

export const NO_BACKLOG: DeliveryBacklog = { waiting: 0, oldestAtMs: null, nextAtMs: null };

export interface WebhookDeliveryStore {
	/** Reads one index entry per waiting delivery. */
	backlog(): Promise<DeliveryBacklog>;
	/** The attempts are the last `WEBHOOK_HISTORY_MAX`, oldest first. */
	findById(
		tenantId: string,
		webhookId: string,
		id: string,
	): Promise<(WebhookDelivery & { readonly history: readonly WebhookAttempt[] }) | undefined>;
	list(query: WebhookDeliveryQuery, page: PageQuery): Promise<Page<WebhookDelivery>>;
	/** Queues a delivery to only this webhook, due at `delivery.createdAtMs`. */
	queue(delivery: NewWebhookDelivery): Promise<void>;
	/** Makes a delivery in any state due now, with the full schedule of attempts. */
	replay(tenantId: string, webhookId: string, id: string, nowMs: number): Promise<boolean>;
	/** `replay` of up to `limit` failed deliveries, the oldest first; of tests only if `eventType` says so. @returns how many. */
	replayFailed(
		query: Omit<WebhookDeliveryQuery, "status" | "fromMs" | "toMs">,
		nowMs: number,
		limit: number,
	): Promise<number>;
	/** Marks all pending deliveries as failed. @returns how many. */
	failPending(webhookId: string, nowMs: number, error: string): Promise<number>;
	/** Active webhooks of all tenants with due deliveries. Called twice a second: one index lookup per webhook. */
	listDue(nowMs: number): Promise<DueWebhook[]>;
	/**
	 * Inside a transaction: claims up to `limit` due deliveries, the longest due first, and makes each due again at
	 * `nowMs + leaseMs`, in case this process dies. Concurrent callers never claim the same delivery.
	 */
	claim(
		webhookId: string,
		nowMs: number,
		limit: number,
		leaseMs: number,
	): Promise<readonly ClaimedWebhookDelivery[]>;
	/** Final until replayed. @returns false when it was claimed again or deleted. */
	finish(
		claimed: ClaimedWebhookDelivery,
		status: "delivered" | "failed",
		attempt: WebhookAttempt,
	): Promise<boolean>;
	/** Due again at `nextAttemptAtMs`. @returns like `finish`. */
	retry(claimed: ClaimedWebhookDelivery, nextAttemptAtMs: number, attempt: WebhookAttempt): Promise<boolean>;
	/** Deletes up to `limit` deliveries that finished before this time. @returns how many. */
	purge(finishedBeforeMs: number, limit: number): Promise<number>;
}

export interface WebhookRequest {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

export interface WebhookResponse {
	readonly statusCode: number;
	/** From a `Retry-After` header, with seconds or a date. */
	readonly retryAfterSeconds: number | undefined;
	/** The first `WEBHOOK_ANSWER_MAX` bytes of a response that is no success, as text. */
	readonly answer: string;
}

export interface WebhookSender {
	/** Resolves within 5 s with the response, for every status. @throws WebhookSendError without a response. */
	send(request: WebhookRequest): Promise<WebhookResponse>;
}

/**
 * Why there was no response. The message is shown to the tenant's administrators, so it contains no internal address and
 * no response text.
 */
export class WebhookSendError extends Error {
	override readonly name = "WebhookSendError";
}
