// Limits how many password hashes run and wait, and shares the turns fairly between keys.

import { AppError } from "../kernel/error.ts";
import { RecentMap } from "../kernel/recent-map.ts";
import { type HashPlace, HashThreads, type ThreadSharing } from "./hash-threads.ts";

export interface HashQueueOptions {
	/** Concurrent hashes, at least 1. Leave one core for the event loop. */
	readonly threads: number;
	/** Hashes that may wait for a thread, across all keys. */
	readonly queueLimit: number;
	/** Approximate duration of one hash, for `Retry-After`. */
	readonly hashMs: number;
	/** Unset: each hash has its own thread. */
	readonly sharing?: ThreadSharing | undefined;
}

/** The current number of hashes. */
export interface HashLoad {
	readonly running: number;
	readonly waiting: number;
}

interface Waiting {
	readonly key: string;
	/** The number of turns started before it arrived. */
	readonly arrivedTurn: number;
	readonly mayShare: boolean;
	start(place: HashPlace): void;
	refuse(error: AppError): void;
}

/**
 * Fair by key. The key whose last turn is longest ago goes next, so a new key waits only for running hashes, not for
 * the backlog of others. A full queue moves a slot from the key with the most slots to a key that has at least two
 * fewer: with room for 25, each of twelve busy keys has two.
 */
export class HashQueue {
	readonly #options: HashQueueOptions;
	/** In the order of arrival. */
	readonly #waiting: Waiting[] = [];
	/** The last turn of each key. Turns older than one full queue are equivalent, so they may be dropped. */
	readonly #lastTurns: RecentMap<number>;
	readonly #threads: HashThreads;
	#turns = 0;

	constructor(options: HashQueueOptions) {
		const { threads, queueLimit, sharing } = options;
		if (!Number.isInteger(queueLimit) || queueLimit < 0) throw new RangeError("queueLimit must be 0 or more");
		this.#options = options;
		this.#threads = new HashThreads(threads, sharing);
		this.#lastTurns = new RecentMap(4 * (queueLimit + 1));
	}

	get load(): HashLoad {
		return { running: this.#threads.running, waiting: this.#waiting.length };
	}

	/**
	 * Checks whether a hash of this key would be refused now. Call it before other expensive work. Reserves nothing.
	 *
	 * @throws AppError `service.overloaded` when there is no slot for this key.
	 */
	checkRoom(key: string): void {
		if (this.#threads.hasFree || this.#waiting.length < this.#options.queueLimit) return;
		if (this.#displaceable(key) === undefined) throw this.#overloaded();
	}

	/**
	 * Runs `work` when a thread is free and it is the key's turn; with `mayShare`, also when a shared thread has room.
	 *
	 * @throws AppError `service.overloaded` before `work` starts: at once when there is no slot, later when another key
	 * takes the slot.
	 */
	async run<T>(key: string, work: (place: HashPlace) => Promise<T>, mayShare = false): Promise<T> {
		const place = this.#takeAtOnce(key, mayShare) ?? (await this.#wait(key, mayShare));
		try {
			return await work(place);
		} finally {
			// Pass the slot to the next waiter, so that a new arrival cannot take it first.
			this.#threads.release(place);
			this.#startNext();
		}
	}

	#takeAtOnce(key: string, mayShare: boolean): HashPlace | undefined {
		if (this.#waiting.length > 0) return undefined;
		const place = this.#threads.take(mayShare, false);
		if (place !== undefined) this.#countTurn(key);
		return place;
	}

	#wait(key: string, mayShare: boolean): Promise<HashPlace> {
		if (this.#waiting.length >= this.#options.queueLimit) {
			const displaced = this.#displaceable(key);
			if (displaced === undefined) throw this.#overloaded();
			this.#waiting.splice(this.#waiting.indexOf(displaced), 1);
			displaced.refuse(this.#overloaded());
		}
		return new Promise((resolve, reject) => {
			this.#waiting.push({ key, arrivedTurn: this.#turns, mayShare, start: resolve, refuse: reject });
		});
	}

	/** The latest waiter of the key with the most slots, if that key has at least two more than `key`. */
	#displaceable(key: string): Waiting | undefined {
		const slots = new Map<string, number>();
		for (const waiting of this.#waiting) slots.set(waiting.key, (slots.get(waiting.key) ?? 0) + 1);
		const most = Math.max(0, ...slots.values());
		if (most < (slots.get(key) ?? 0) + 2) return undefined;
		return this.#waiting.findLast((waiting) => slots.get(waiting.key) === most);
	}

	/** If the next hash cannot share a thread, it and all later ones wait for a free one. */
	#startNext(): void {
		for (let next = this.#first(); next !== undefined; next = this.#first()) {
			const isCrowd = this.#waiting.some((other) => other !== next && other.mayShare);
			const place = this.#threads.take(next.mayShare, isCrowd);
			if (place === undefined) return;
			this.#waiting.splice(this.#waiting.indexOf(next), 1);
			this.#countTurn(next.key);
			next.start(place);
		}
	}

	#first(): Waiting | undefined {
		let first: Waiting | undefined;
		for (const waiting of this.#waiting)
			if (first === undefined || this.#rank(waiting) < this.#rank(first)) first = waiting;
		return first;
	}

	/** The lowest rank is next. Its arrival is the minimum, so that new keys delay a key for at most one queue. */
	#rank({ key, arrivedTurn }: Waiting): number {
		return Math.max(this.#lastTurns.find(key) ?? 0, arrivedTurn - this.#options.queueLimit);
	}

	#countTurn(key: string): void {
		this.#turns += 1;
		this.#lastTurns.set(key, this.#turns);
	}

	#overloaded(): AppError {
		const { threads, hashMs } = this.#options;
		const drainMs = (hashMs * (this.#waiting.length + this.#threads.running)) / threads;
		return new AppError("service.overloaded", "too many sign-ins at the moment, try again shortly", {
			retryAfterSeconds: Math.max(1, Math.ceil(drainMs / 1_000)),
		});
	}
}
