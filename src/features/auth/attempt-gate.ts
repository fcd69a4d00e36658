// Lets simultaneous attempts at one thing wait for each other's outcome, instead of refusing what may be right.

interface Line<R> {
	/** Attempts that are reserving or being made. */
	underWay: number;
	/** How many attempts were over by now: tells whether a refusal is out of date. */
	outcomes: number;
	/** Called with the refusal when waiting is in vain. */
	readonly waiting: ((refusal: R | undefined) => void)[];
}

/**
 * Every attempt is counted as a failure before it is made, so twenty right passwords at once would look like a
 * guesser. Here a refused attempt waits while others of its key are under way: when one of them was right the count
 * is cleared and the next may go, when all were wrong all who wait are refused. Within this process only; what is
 * refused is decided by `reserve` alone.
 */
export class AttemptGate<R> {
	readonly #lines = new Map<string, Line<R>>();

	/** `reserve` answers undefined when the attempt may be made. @returns the refusal, or what `work` made. */
	async run<T>(
		key: string,
		reserve: () => Promise<R | undefined>,
		work: () => Promise<T>,
	): Promise<{ readonly refusal: R } | { readonly result: T }> {
		const line = this.#lines.get(key) ?? { underWay: 0, outcomes: 0, waiting: [] };
		this.#lines.set(key, line);
		line.underWay++;
		for (;;) {
			const outcomes = line.outcomes;
			let refusal: R | undefined;
			try {
				refusal = await reserve();
				if (refusal === undefined) return { result: await work() };
			} finally {
				// Made, or failed on the way: either way the next may have better luck.
				if (refusal === undefined) this.#over(key, line);
			}
			if (line.outcomes !== outcomes) continue;
			if (line.underWay === 1) return { refusal: this.#refuseAll(key, line, refusal) };
			line.underWay--;
			const final = await new Promise<R | undefined>((resolve) => line.waiting.push(resolve));
			if (final !== undefined) return { refusal: final };
		}
	}

	/** One is over: its place goes to the one who waited longest. */
	#over(key: string, line: Line<R>): void {
		line.outcomes++;
		const next = line.waiting.shift();
		if (next !== undefined) next(undefined);
		else if (--line.underWay === 0) this.#lines.delete(key);
	}

	#refuseAll(key: string, line: Line<R>, refusal: R): R {
		for (const refuse of line.waiting.splice(0)) refuse(refusal);
		this.#lines.delete(key);
		return refusal;
	}
}
