// Records the outcome of an attempt: delivered, retried later, failed, or the webhook disabled.

import type { NamedTarget } from "../../../domain/audit.ts";
import { systemCaller } from "../../../domain/caller.ts";
import type { Stores } from "../../../domain/stores.ts";
import {
	type ClaimedWebhookDelivery,
	WEBHOOK_GIVE_UP_MS,
	type WebhookAttempt,
	type WebhookResponse,
} from "../../../domain/webhook-delivery.ts";
import { WEBHOOK_TEST_TYPE } from "../../../domain/webhook-event.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";
import { webhookTarget } from "./target-url.ts";

type NeededStores = "webhooks" | "webhookDeliveries" | "audit";

/** The response of the receiver; `statusCode` is null if there was none. `error` is `""` if it accepted the delivery. */
export interface AttemptOutcome
	extends Pick<WebhookAttempt, "statusCode" | "error">,
		Pick<WebhookResponse, "retryAfterSeconds"> {}

export type WebhookOutcome = AttemptOutcome & Pick<WebhookAttempt, "answer">;

export type Settled = "delivered" | "retried" | "given_up" | "disabled" | "overtaken";

const GONE = 410;

/**
 * Runs in one transaction. A webhook that responds with 410 Gone is disabled immediately. When a delivery fails
 * permanently, its webhook is disabled unless it has accepted another delivery since the first attempt. Disabling fails
 * all pending deliveries. A failed test is final and does not count against its webhook: an administrator is watching.
 *
 * @param random returns 0 ≤ x < 1.
 */
export async function settleDelivery(
	{ db, clock, random }: Needs<NeededStores, "clock"> & { readonly random: () => number },
	claimed: ClaimedWebhookDelivery,
	{ retryAfterSeconds, ...outcome }: WebhookOutcome & Pick<WebhookAttempt, "ms">,
): Promise<Settled> {
	const now = clock();
	const attempt = { ...outcome, atMs: now };
	const { statusCode, error } = outcome;
	return db.transaction(async (stores) => {
		const { webhooks, webhookDeliveries } = stores;
		if (error === "") {
			await webhooks.noteDelivered(claimed.webhookId, now);
			return (await webhookDeliveries.finish(claimed, "delivered", attempt)) ? "delivered" : "overtaken";
		}
		if (claimed.eventType === WEBHOOK_TEST_TYPE && statusCode !== GONE)
			return (await webhookDeliveries.finish(claimed, "failed", attempt)) ? "given_up" : "overtaken";
		const webhook = await webhooks.noteFailing(claimed.webhookId, now);
		if (webhook === undefined) return "overtaken";
		if (statusCode === GONE) {
			await webhookDeliveries.finish(claimed, "failed", attempt);
			return disable(stores, claimed, webhookTarget(webhook), "gone", now);
		}
		const nextAtMs = nextAttemptAtMs(claimed, now, retryAfterSeconds, random);
		if (nextAtMs !== undefined)
			return (await webhookDeliveries.retry(claimed, nextAtMs, attempt)) ? "retried" : "overtaken";
		if (!(await webhookDeliveries.finish(claimed, "failed", attempt))) return "overtaken";
		const acceptedAtMs = webhook.lastDeliveredAtMs;
		const acceptedMeanwhile =
			acceptedAtMs !== null && acceptedAtMs >= claimed.giveUpAtMs - WEBHOOK_GIVE_UP_MS;
		return acceptedMeanwhile ? "given_up" : disable(stores, claimed, webhookTarget(webhook), "failing", now);
	});
}

async function disable(
	{ webhooks, webhookDeliveries, audit }: Stores<NeededStores>,
	{ webhookId, tenantId }: ClaimedWebhookDelivery,
	target: NamedTarget,
	reason: "failing" | "gone",
	nowMs: number,
): Promise<Settled> {
	if (!(await webhooks.disable(webhookId, reason, nowMs))) return "given_up";
	await webhookDeliveries.failPending(webhookId, nowMs, "the webhook was disabled");
	await audit.append(systemCaller(tenantId), "webhook.disabled", target, { reason });
	return "disabled";
}

/** The delays after the first attempts; later attempts follow every six hours. */
const DELAYS_MS = [
	5 * SECOND_MS,
	30 * SECOND_MS,
	2 * MINUTE_MS,
	10 * MINUTE_MS,
	30 * MINUTE_MS,
	HOUR_MS,
	2 * HOUR_MS,
	4 * HOUR_MS,
] as const;
const LONGEST_DELAY_MS = 6 * HOUR_MS;

/**
 * Returns the time of the next attempt after the `roundAttempts`th (from 1): the scheduled delay minus up to a quarter
 * at random, so that deliveries that failed together are not retried together, or `retryAfterSeconds` if that is longer
 * (at most six hours). Never after `giveUpAtMs`, the time of the last attempt; undefined when it has passed.
 *
 * @param random returns 0 ≤ x < 1
 */
export function nextAttemptAtMs(
	{ roundAttempts, giveUpAtMs }: { readonly roundAttempts: number; readonly giveUpAtMs: number },
	nowMs: number,
	retryAfterSeconds: number | undefined,
	random: () => number,
): number | undefined {
	if (nowMs >= giveUpAtMs) return undefined;
	const delayMs = (DELAYS_MS[roundAttempts - 1] ?? LONGEST_DELAY_MS) * (1 - random() / 4);
	const retryAfterMs = Math.min((retryAfterSeconds ?? 0) * SECOND_MS, LONGEST_DELAY_MS);
	return Math.min(nowMs + Math.round(Math.max(delayMs, retryAfterMs)), giveUpAtMs);
}
