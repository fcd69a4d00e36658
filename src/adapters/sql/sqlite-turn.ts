// When the reads and writes that gather during a turn of the event loop are made.

/** What waits to be done together. */
export interface Waiting {
	readonly isWaiting: boolean;
	flush(): void;
}

/** How often in a turn what the last flush led to is flushed as well, before everybody else's events are let in. */
const FLUSHES_A_TURN = 8;

/**
 * Does at the end of each turn of the event loop what its requests have asked of the database: first all reads, then
 * all writes, then what those led to. So the requests of a turn go through their reads and writes side by side: SQLite's
 * code stays in the processor's cache (alone, a read costs four times as much), and all of them share one commit.
 */
export class Turn {
	#reads: Waiting | undefined;
	#writes: Waiting | undefined;
	#isDue = false;
	#flushes = 0;

	serve(reads: Waiting, writes: Waiting): void {
		this.#reads = reads;
		this.#writes = writes;
	}

	/** To be called when something waits. */
	wake(): void {
		if (this.#isDue) return;
		this.#isDue = true;
		setImmediate(this.#begin);
	}

	readonly #begin = (): void => {
		this.#flushes = 0;
		this.#next();
	};

	readonly #next = (): void => {
		const next = this.#reads?.isWaiting ? this.#reads : this.#writes;
		if (!next?.isWaiting) this.#isDue = false;
		else if (++this.#flushes > FLUSHES_A_TURN) setImmediate(this.#begin);
		else {
			next.flush();
			queueMicrotask(this.#follow);
		}
	};

	/** A tick begun in a microtask comes after all microtasks: after whoever had waited for an answer has gone on. */
	readonly #follow = (): void => process.nextTick(this.#next);
}
