// Schedules the reads and writes that queue up during a turn of the event loop.

/** A queue that is flushed as one batch. */
export interface Waiting {
	readonly isWaiting: boolean;
	flush(): void;
}

/** The most flushes, follow-ups included, before the event loop handles other events. */
const FLUSHES_A_TURN = 8;

/**
 * At the end of each event-loop turn, runs the queued reads, then the writes, then the follow-ups of both. The requests of one
 * turn therefore proceed in step: SQLite's code stays in the processor's cache (a lone read costs four times as much), and
 * their writes share one commit.
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

	/** Call it after adding to a queue. */
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

	/** A tick requested in a microtask runs after all microtasks, so after the code that awaited a result. */
	readonly #follow = (): void => process.nextTick(this.#next);
}
