// The places for deliveries to many receivers (webhooks, relying parties), shared so that failing ones leave room for
// the others.

/** A webhook, or a client that receives logout notices. */
interface Receiver {
	readonly id: string;
	readonly isFailing: boolean;
}

/** Concurrent deliveries per receiver; a failing one gets one. */
const PLACES_PER_RECEIVER = 4;
const PLACES = 128;
/** The most of all slots that failing receivers may take together. */
const PLACES_FOR_FAILING = 64;

export class DeliveryPlaces {
	readonly #taken = new Map<string, number>();
	#takenByAll = 0;
	#takenByFailing = 0;

	/** How many deliveries to this receiver may begin now. */
	freeFor({ id, isFailing }: Receiver): number {
		const own = (isFailing ? 1 : PLACES_PER_RECEIVER) - (this.#taken.get(id) ?? 0);
		const all = PLACES - this.#takenByAll;
		return Math.min(own, all, isFailing ? PLACES_FOR_FAILING - this.#takenByFailing : all);
	}

	/** Takes a slot. Call the returned function once, when the delivery has ended. */
	take({ id, isFailing }: Receiver): () => void {
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
