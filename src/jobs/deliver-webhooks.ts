// The job that sends webhook deliveries: each at least once, and no endpoint waits for another's.

import type { SecretBox } from "../crypto/secret-box.ts";
import type {
	ClaimedWebhookDelivery,
	DueWebhook,
	WebhookDeliveryStore,
	WebhookSender,
} from "../features/webhooks/model.ts";
import { type SettleDeliveryDeps, settleDelivery } from "../features/webhooks/settle-delivery.ts";
import type { Log } from "../kernel/log.ts";
import type { Persistence } from "../kernel/transaction.ts";
import { attemptWebhook } from "./webhook-attempt.ts";

export interface WebhookDeliveryOptions extends Omit<SettleDeliveryDeps, "random"> {
	readonly db: SettleDeliveryDeps["db"] & Persistence<{ webhookDeliveries: WebhookDeliveryStore }>;
	readonly sender: WebhookSender;
	readonly secretBox: SecretBox;
	readonly log: Log;
	/** How often to look for what is due: 500 ms unless told. */
	readonly pollMs?: number;
	/** Gives 0 ≤ x < 1. */
	readonly random?: () => number;
}

export interface WebhookDeliveryJob {
	/** Once, with one `stop` after it. */
	start(): void;
	/** Takes no more; resolves when what was under way has ended (an attempt takes 5 s at most). */
	stop(): Promise<void>;
}

/** Longer than an attempt and its marking; so long does a delivery wait whose process died in the middle. */
const LEASE_MS = 10_000;
/** Attempts at the same time for one webhook; one that fails gets a single one. */
const PLACES_A_WEBHOOK = 4;
const PLACES = 128;
/** Of these, those that failing webhooks may take together: the rest is kept for the healthy. */
const PLACES_FOR_FAILING = 64;

export function createWebhookDelivery(options: WebhookDeliveryOptions): WebhookDeliveryJob {
	return new Delivery(options);
}

class Delivery implements WebhookDeliveryJob {
	readonly #options: WebhookDeliveryOptions;
	readonly #settle: SettleDeliveryDeps;
	readonly #underWay = new Set<Promise<void>>();
	readonly #taken = new Map<string, number>();
	#takenByFailing = 0;
	#isRunning = false;
	#looking: Promise<void> | undefined;
	#lookAgain = false;
	#timer: NodeJS.Timeout | undefined;
	#isDatabaseAway = false;

	constructor(options: WebhookDeliveryOptions) {
		this.#options = options;
		this.#settle = { db: options.db, clock: options.clock, random: options.random ?? Math.random };
	}

	start(): void {
		this.#isRunning = true;
		this.#wake();
	}

	async stop(): Promise<void> {
		this.#isRunning = false;
		clearTimeout(this.#timer);
		await this.#looking;
		while (this.#underWay.size > 0) await Promise.all(this.#underWay);
	}

	#wake(): void {
		if (!this.#isRunning) return;
		this.#lookAgain = true;
		this.#looking ??= this.#look().finally(() => {
			this.#looking = undefined;
		});
	}

	async #look(): Promise<void> {
		clearTimeout(this.#timer);
		try {
			while (this.#lookAgain && this.#isRunning) {
				this.#lookAgain = false;
				await this.#takeDue();
			}
			this.#isDatabaseAway = false;
		} catch (error) {
			if (!this.#isDatabaseAway) this.#options.log.warn({ err: error }, "webhook deliveries cannot be read");
			this.#isDatabaseAway = true;
		}
		if (this.#isRunning) this.#timer = setTimeout(() => this.#wake(), this.#options.pollMs ?? 500);
	}

	async #takeDue(): Promise<void> {
		const { db, clock } = this.#options;
		const due = await db.stores.webhookDeliveries.listDue(clock());
		for (const webhook of due.toSorted((a, b) => Number(a.isFailing) - Number(b.isFailing))) {
			const places = this.#placesFor(webhook);
			if (places <= 0 || !this.#isRunning) continue;
			const claimed = await db.transaction(({ webhookDeliveries }) =>
				webhookDeliveries.claim(webhook.id, clock(), places, LEASE_MS),
			);
			for (const delivery of claimed) this.#begin(webhook, delivery);
		}
	}

	#placesFor({ id, isFailing }: DueWebhook): number {
		const own = (isFailing ? 1 : PLACES_A_WEBHOOK) - (this.#taken.get(id) ?? 0);
		const all = PLACES - this.#underWay.size;
		return Math.min(own, all, isFailing ? PLACES_FOR_FAILING - this.#takenByFailing : all);
	}

	#begin(webhook: DueWebhook, delivery: ClaimedWebhookDelivery): void {
		this.#taken.set(webhook.id, (this.#taken.get(webhook.id) ?? 0) + 1);
		if (webhook.isFailing) this.#takenByFailing += 1;
		const work = this.#deliver(webhook, delivery).finally(() => {
			this.#underWay.delete(work);
			if (webhook.isFailing) this.#takenByFailing -= 1;
			const left = (this.#taken.get(webhook.id) ?? 1) - 1;
			if (left === 0) this.#taken.delete(webhook.id);
			else this.#taken.set(webhook.id, left);
			this.#wake();
		});
		this.#underWay.add(work);
	}

	async #deliver(webhook: DueWebhook, delivery: ClaimedWebhookDelivery): Promise<void> {
		const { log } = this.#options;
		const about = { webhookId: webhook.id, deliveryId: delivery.id, tenantId: delivery.tenantId };
		try {
			const outcome = await attemptWebhook(webhook, delivery, this.#options);
			const settled = await settleDelivery(this.#settle, delivery, outcome);
			const fields = { ...about, attempts: delivery.attempts, error: outcome.error };
			if (settled === "disabled") log.warn(fields, "webhook disabled");
			else log.debug(fields, `webhook delivery ${settled}`);
		} catch (error) {
			// The lease ends by itself: it goes out again, with the same webhook-id.
			log.error({ ...about, err: error }, "the outcome of a webhook delivery could not be recorded");
		}
	}
}
