// The delivery loop for many receivers (webhooks, relying parties). They share slots, so that failing receivers leave
// room for the others.

import type { WebhookSender } from "../domain/webhook-delivery.ts";
import type { Tracing } from "../kernel/tracing.ts";
import { DeliveryLoop, type DeliveryLoopOptions } from "./delivery-loop.ts";

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

export class DeliverySlots {
	readonly #taken = new Map<string, number>();
	#takenByAll = 0;
	#takenByFailing = 0;

	/** How many deliveries to this receiver may start now. */
	freeFor({ id, isFailing }: Receiver): number {
		const own = (isFailing ? 1 : PLACES_PER_RECEIVER) - (this.#taken.get(id) ?? 0);
		const all = PLACES - this.#takenByAll;
		return Math.min(own, all, isFailing ? PLACES_FOR_FAILING - this.#takenByFailing : all);
	}

	/** Takes a slot. Call the returned function once, when the delivery ends. */
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

/** Longer than an attempt and its recording: if a process dies, its deliveries become due again after this. */
export const LEASE_MS = 10_000;
/** An attempt takes at most 5 s. */
const STOP_GRACE_MS = 8_000;

/** What every kind of delivery over HTTP needs. */
export interface ReceiverDelivery {
	readonly sender: WebhookSender;
	/** Undefined if no traces are sent. */
	readonly tracing?: Tracing | undefined;
	/** How often to look for due deliveries. Default 500 ms. */
	readonly pollMs?: number | undefined;
	/** Returns 0 ≤ x < 1. */
	readonly random?: () => number;
}

interface ReceiverLoopOptions<R extends Receiver, Claimed>
	extends Pick<DeliveryLoopOptions, "clock" | "log" | "failure">,
		Pick<ReceiverDelivery, "pollMs"> {
	/** Receivers with due deliveries. */
	listDue(): Promise<readonly R[]>;
	/** Claims at most `limit` due deliveries for `LEASE_MS`. */
	claim(receiver: R, limit: number): Promise<readonly Claimed[]>;
	/** Must not reject. */
	deliver(receiver: R, claimed: Claimed): Promise<void>;
}

/** Claims for receivers that do not fail first. Call `start` once, then `stop` once. */
export function createReceiverLoop<R extends Receiver, Claimed>(
	options: ReceiverLoopOptions<R, Claimed>,
): DeliveryLoop {
	const { clock, log, failure, pollMs = 500 } = options;
	const slots = new DeliverySlots();
	const loop = new DeliveryLoop({
		clock,
		log,
		pollMs,
		stopGraceMs: STOP_GRACE_MS,
		failure,
		async claimDue() {
			const due = await options.listDue();
			for (const receiver of due.toSorted((a, b) => Number(a.isFailing) - Number(b.isFailing))) {
				const free = slots.freeFor(receiver);
				if (free <= 0 || !loop.isRunning) continue;
				for (const claimed of await options.claim(receiver, free))
					loop.deliver(options.deliver(receiver, claimed).finally(slots.take(receiver)));
			}
		},
	});
	return loop;
}
