// Limits how many callers of each key run at the same time, such as transactions that lock the same row.

import { Semaphore } from "./semaphore.ts";

interface Line {
	readonly places: Semaphore;
	/** That run or wait: at none the line is forgotten. */
	callers: number;
}

export class KeyedSemaphore {
	readonly #limit: number;
	readonly #lines = new Map<string, Line>();

	/** At most `limit` callers of one key run at once. */
	constructor(limit: number) {
		this.#limit = limit;
	}

	/** How many keys have callers. */
	get size(): number {
		return this.#lines.size;
	}

	/** Runs `work` in the order of arrival of its key. @throws what `work` throws. */
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
