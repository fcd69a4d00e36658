// Limits how many callers per key run concurrently, such as transactions that lock the same row.

import { Semaphore } from "./semaphore.ts";

interface Line {
	readonly places: Semaphore;
	/** Running and waiting callers; the entry is removed at zero. */
	callers: number;
}

export class KeyedSemaphore {
	readonly #limit: number;
	readonly #lines = new Map<string, Line>();

	/** At most `limit` callers per key run at once. */
	constructor(limit: number) {
		this.#limit = limit;
	}

	/** How many keys have callers. */
	get size(): number {
		return this.#lines.size;
	}

	/** Runs `work` in order of arrival per key. @throws what `work` throws. */
	async run<T>(key: string, work: () => Promise<T>): Promise<T> {
		const line = this.#lines.get(key) ?? { places: new Semaphore(this.#limit), callers: 0 };
		this.#lines.set(key, line);
		line.callers += 1;
		const leave = await line.places.acquire();
		try {
			return await work();
		} finally {
			leave();
			line.callers -= 1;
			if (line.callers === 0) this.#lines.delete(key);
		}
	}
}
