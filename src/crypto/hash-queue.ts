// How many password hashes run at once, and how many may wait: the physical limit of sign-ins.

import { AppError } from "../kernel/error.ts";

export interface HashQueueOptions {
	/** Hashes at once, at least 1. One core less than there are keeps the event loop served. */
	readonly threads: number;
	/** Hashes that may wait for a thread. */
	readonly queueLimit: number;
	/** About what one hash takes, for `Retry-After`. */
	readonly hashMs: number;
}

/** Hashes at this moment. */
export interface HashLoad {
	readonly running: number;
	readonly waiting: number;
}

/** First come, first served. */
export class HashQueue {
	readonly #options: HashQueueOptions;
	readonly #waiting: (() => void)[] = [];
	#running = 0;

	constructor(options: HashQueueOptions) {
		const { threads, queueLimit } = options;
		if (!Number.isInteger(threads) || threads < 1) throw new RangeError("threads must be at least 1");
		if (!Number.isInteger(queueLimit) || queueLimit < 0) throw new RangeError("queueLimit must be 0 or more");
		this.#options = options;
	}

	get load(): HashLoad {
		return { running: this.#running, waiting: this.#waiting.length };
	}

	/**
	 * For whoever has work to do before the hash: whether it would be in vain. Promises no place.
	 *
	 * @throws AppError `service.overloaded` when too many wait already.
	 */
	checkRoom(): void {
		const { threads, queueLimit } = this.#options;
		if (this.#running < threads || this.#waiting.length < queueLimit) return;
		throw this.#overloaded();
	}

	/**
	 * Runs `work` as soon as a thread is free.
	 *
	 * @throws AppError `service.overloaded`, at once and without having begun, when too many wait already.
	 */
	async run<T>(work: () => Promise<T>): Promise<T> {
		if (this.#running < this.#options.threads) this.#running += 1;
		else await this.#wait();
		try {
			return await work();
		} finally {
			// The next in line takes over this thread, so nobody who comes now can slip in between.
			const next = this.#waiting.shift();
			if (next === undefined) this.#running -= 1;
			else next();
		}
	}

	#wait(): Promise<void> {
		if (this.#waiting.length >= this.#options.queueLimit) throw this.#overloaded();
		return new Promise((resolve) => this.#waiting.push(resolve));
	}

	#overloaded(): AppError {
		const { threads, hashMs } = this.#options;
		const drainMs = (hashMs * (this.#waiting.length + this.#running)) / threads;
		return new AppError("service.overloaded", "too many sign-ins at the moment, please try again shortly", {
			retryAfterSeconds: Math.max(1, Math.ceil(drainMs / 1_000)),
		});
	}
}
