// The loop of deliveries (mail, webhooks, logout notices): claims what is due, runs it, stops cleanly.

import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

export interface DeliveryLoopOptions {
	readonly clock: Clock;
	readonly log: Log;
	/** Time between two claims without a `wake`. */
	readonly pollMs: number;
	/** How long `stop` waits before it aborts deliveries. */
	readonly stopGraceMs: number;
	/** Logged once while claims fail, e.g. because the database is unavailable. */
	readonly failure: string;
	/** Claims due work, as much as has free slots, and passes each delivery to `deliver`. */
	claimDue(): Promise<void>;
	/**
	 * When the next work is due; undefined if there is none, or no free slot. Shortens the time to the next claim.
	 */
	nextDueAtMs?(): Promise<number | undefined>;
}

/** Between two claims, even if work is already due but cannot be claimed. */
const SHORTEST_WAIT_MS = 100;
/** Time for aborted deliveries to end. */
const ABORT_GRACE_MS = 1_000;

export class DeliveryLoop {
	readonly #options: DeliveryLoopOptions;
	readonly #underWay = new Set<Promise<void>>();
	readonly #abort = new AbortController();
	#isRunning = false;
	#isClaiming = false;
	#claimAgain = false;
	#timer: NodeJS.Timeout | undefined;
	#isFailing = false;

	constructor(options: DeliveryLoopOptions) {
		this.#options = options;
	}

	/** False once `stop` is called. */
	get isRunning(): boolean {
		return this.#isRunning;
	}

	/** Aborted when `stop` cannot wait any longer. */
	get abortSignal(): AbortSignal {
		return this.#abort.signal;
	}

	/** Call once, before `stop`. */
	start(): void {
		this.#isRunning = true;
		this.wake();
	}

	/** Claims at once, or again after a running claim. Cheap, never throws, and does nothing before `start`. */
	wake(): void {
		if (!this.#isRunning) return;
		this.#claimAgain = true;
		if (!this.#isClaiming) this.#track(this.#claim());
	}

	/** Makes `stop` wait for the delivery, and claims more when it ends. `delivery` must not reject. */
	deliver(delivery: Promise<void>): void {
		this.#track(delivery.finally(() => this.wake()));
	}

	/** Claims nothing more; resolves when all deliveries have ended or were aborted. */
	async stop(): Promise<void> {
		this.#isRunning = false;
		clearTimeout(this.#timer);
		if (await settledWithin(this.#underWay, this.#options.stopGraceMs)) return;
		this.#abort.abort();
		await settledWithin(this.#underWay, ABORT_GRACE_MS);
	}

	#track(work: Promise<void>): void {
		const tracked = work.finally(() => this.#underWay.delete(tracked));
		this.#underWay.add(tracked);
	}

	async #claim(): Promise<void> {
		clearTimeout(this.#timer);
		this.#isClaiming = true;
		const { clock, log, failure, pollMs } = this.#options;
		let waitMs = pollMs;
		try {
			while (this.#claimAgain && this.#isRunning) {
				this.#claimAgain = false;
				await this.#options.claimDue();
			}
			const dueAtMs = await this.#options.nextDueAtMs?.();
			if (dueAtMs !== undefined) waitMs = Math.min(pollMs, Math.max(dueAtMs - clock(), SHORTEST_WAIT_MS));
			this.#isFailing = false;
		} catch (error) {
			if (!this.#isFailing) log.warn({ err: error }, failure);
			this.#isFailing = true;
		}
		this.#isClaiming = false;
		if (!this.#isRunning) return;
		if (this.#claimAgain && !this.#isFailing) this.wake();
		else this.#timer = setTimeout(() => this.wake(), waitMs);
	}
}

/** Whether all of `work`, including what is added in the meantime, ends in time. */
async function settledWithin(work: ReadonlySet<Promise<void>>, graceMs: number): Promise<boolean> {
	const timeout = new Promise<"late">((resolve) => setTimeout(resolve, graceMs, "late").unref());
	while (work.size > 0) {
		if ((await Promise.race([Promise.all(work), timeout])) === "late") return false;
	}
	return true;
}
