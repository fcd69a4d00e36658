// Limits how many callers run concurrently; the others wait in order of arrival.

export class Semaphore {
	readonly limit: number;
	readonly #waiting: (() => void)[] = [];
	#held = 0;

	constructor(limit: number) {
		if (!Number.isInteger(limit) || limit < 1) throw new RangeError("limit must be at least 1");
		this.limit = limit;
	}

	/** How many callers wait. */
	get waiting(): number {
		return this.#waiting.length;
	}

	/**
	 * Resolves when the caller may run. Call the returned function at the end; calling it again has no effect.
	 *
	 * @throws the reason of `signal` when it aborts first.
	 */
	async acquire(signal?: AbortSignal): Promise<() => void> {
		signal?.throwIfAborted();
		if (this.#held < this.limit) this.#held += 1;
		else await this.#turn(signal);
		let isHeld = true;
		return () => {
			if (isHeld) this.#release();
			isHeld = false;
		};
	}

	#turn(signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve, reject) => {
			const begin = (): void => {
				signal?.removeEventListener("abort", leave);
				resolve();
			};
			const leave = (): void => {
				this.#waiting.splice(this.#waiting.indexOf(begin), 1);
				reject(signal?.reason);
			};
			this.#waiting.push(begin);
			signal?.addEventListener("abort", leave, { once: true });
		});
	}

	/** Passes the slot to the next waiter, so that a new arrival cannot take it first. */
	#release(): void {
		const next = this.#waiting.shift();
		if (next === undefined) this.#held -= 1;
		else next();
	}
}
