// The places for webhook deliveries, shared so that failing webhooks leave room for the others.

import type { DueWebhook } from "../domain/webhook-delivery.ts";

/** Deliveries at the same time for one webhook; a failing webhook gets one. */
const PLACES_PER_WEBHOOK = 4;
const PLACES = 128;
/** Of these, the most that failing webhooks may take together. */
const PLACES_FOR_FAILING = 64;

export class WebhookPlaces {
	readonly #taken = new Map<string, number>();
	#takenByAll = 0;
	#takenByFailing = 0;

	/** How many deliveries of this webhook may begin now. */
	freeFor({ id, isFailing }: DueWebhook): number {
		const own = (isFailing ? 1 : PLACES_PER_WEBHOOK) - (this.#taken.get(id) ?? 0);
		const all = PLACES - this.#takenByAll;
		return Math.min(own, all, isFailing ? PLACES_FOR_FAILING - this.#takenByFailing : all);
	}

	/** Takes a place. Call the returned function once, when the delivery has ended. */
	take({ id, isFailing }: DueWebhook): () => void {
		this.#add(id, isFailing, 1);
		return () => this.#add(id, isFailing, -1);
	}

	#add(id: string, isFailing: boolean, count: 1 | -1): void {
		const taken = (this.#taken.get(id) ?? 0) + count;
		if (taken === 0) this.#taken.delete(id);
		else this.#taken.set(id, taken);
		this.#takenByAll += count;
		if (isFailing) this.#takenByFailing += count;
	}
}
