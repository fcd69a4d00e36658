// What follows from how an attempt to deliver ended: done, tried again, given up, or the whole webhook disabled.

import type { Clock } from "../../kernel/clock.ts";
import { SYSTEM_ORIGIN } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	type AttemptMark,
	type ClaimedWebhookDelivery,
	WEBHOOK_GIVE_UP_MS,
	type WebhookDeliveryStore,
	type WebhookStore,
} from "./model.ts";
import { nextAttemptAtMs } from "./retry.ts";

interface SettleStores {
	readonly webhooks: WebhookStore;
	readonly webhookDeliveries: WebhookDeliveryStore;
	readonly audit: AuditLog;
}

export interface SettleDeliveryDeps {
	readonly db: Persistence<SettleStores>;
	readonly clock: Clock;
	/** Gives 0 ≤ x < 1. */
	readonly random: () => number;
}

/** An answer, or `statusCode` null with the reason why there was none. */
export interface AttemptOutcome {
	readonly statusCode: number | null;
	/** `""` exactly when it was accepted. */
	readonly error: string;
	readonly retryAfterSeconds: number | undefined;
}

export type Settled = "delivered" | "retried" | "given_up" | "disabled" | "overtaken";

const GONE = 410;

/**
 * In one transaction. A webhook that accepted nothing during the whole time a delivery was tried is disabled when that
 * delivery is given up; one that answers 410 Gone is disabled at once. Both give up whatever else waits for it.
 */
export async function settleDelivery(
	{ db, clock, random }: SettleDeliveryDeps,
	claimed: ClaimedWebhookDelivery,
	{ statusCode, error, retryAfterSeconds }: AttemptOutcome,
): Promise<Settled> {
	const now = clock();
	const mark: AttemptMark = { atMs: now, statusCode, error };
	return db.transaction(async (stores) => {
		const { webhooks, webhookDeliveries } = stores;
		if (error === "") {
			await webhooks.noteDelivered(claimed.webhookId, now);
			return (await webhookDeliveries.finish(claimed, "delivered", mark)) ? "delivered" : "overtaken";
		}
		const webhook = await webhooks.noteFailing(claimed.webhookId, now);
		if (webhook === undefined) return "overtaken";
		if (statusCode === GONE) {
			await webhookDeliveries.finish(claimed, "failed", mark);
			return disable(stores, claimed, "gone", now);
		}
		const nextAtMs = nextAttemptAtMs(claimed, now, retryAfterSeconds, random);
		if (nextAtMs !== undefined)
			return (await webhookDeliveries.retry(claimed, nextAtMs, mark)) ? "retried" : "overtaken";
		if (!(await webhookDeliveries.finish(claimed, "failed", mark))) return "overtaken";
		const acceptedAtMs = webhook.lastDeliveredAtMs;
		const acceptedMeanwhile =
			acceptedAtMs !== null && acceptedAtMs >= claimed.giveUpAtMs - WEBHOOK_GIVE_UP_MS;
		return acceptedMeanwhile ? "given_up" : disable(stores, claimed, "failing", now);
	});
}

async function disable(
	{ webhooks, webhookDeliveries, audit }: SettleStores,
	{ webhookId, tenantId }: ClaimedWebhookDelivery,
	reason: "failing" | "gone",
	nowMs: number,
): Promise<Settled> {
	if (!(await webhooks.disable(webhookId, reason, nowMs))) return "given_up";
	await webhookDeliveries.failPending(webhookId, nowMs, "the webhook was disabled");
	await audit.append({
		tenantId,
		actor: "system",
		action: "webhook.disabled",
		target: `webhook:${webhookId}`,
		origin: SYSTEM_ORIGIN,
		details: { reason },
	});
	return "disabled";
}
