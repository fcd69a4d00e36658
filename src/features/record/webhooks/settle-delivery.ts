// Records the outcome of an attempt: delivered, retried later, failed, or the webhook disabled.

import { systemCaller } from "../../../domain/caller.ts";
import type { Stores } from "../../../domain/stores.ts";
import {
	type AttemptMark,
	type ClaimedWebhookDelivery,
	WEBHOOK_GIVE_UP_MS,
} from "../../../domain/webhook-delivery.ts";
import type { Needs } from "../../platform.ts";
import { nextAttemptAtMs } from "./retry.ts";

type NeededStores = "webhooks" | "webhookDeliveries" | "audit";

/** The answer of the receiver; `statusCode` is null when there was none. */
export interface AttemptOutcome {
	readonly statusCode: number | null;
	/** `""` if and only if the delivery was accepted. */
	readonly error: string;
	readonly retryAfterSeconds: number | undefined;
}

export type Settled = "delivered" | "retried" | "given_up" | "disabled" | "overtaken";

const GONE = 410;

/**
 * In one transaction. A webhook that answers 410 Gone is disabled at once. When a delivery fails permanently, its webhook is
 * disabled unless it accepted another delivery since the first attempt. Disabling fails all pending deliveries.
 *
 * @param random returns 0 ≤ x < 1.
 */
export async function settleDelivery(
	{ db, clock, random }: Needs<NeededStores, "clock"> & { readonly random: () => number },
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
	{ webhooks, webhookDeliveries, audit }: Stores<NeededStores>,
	{ webhookId, tenantId }: ClaimedWebhookDelivery,
	reason: "failing" | "gone",
	nowMs: number,
): Promise<Settled> {
	if (!(await webhooks.disable(webhookId, reason, nowMs))) return "given_up";
	await webhookDeliveries.failPending(webhookId, nowMs, "the webhook was disabled");
	await audit.append(systemCaller(tenantId), "webhook.disabled", `webhook:${webhookId}`, { reason });
	return "disabled";
}
