// Makes parallel attempts at one key wait for each other's outcome, so that right ones are not refused.

export type GateOutcome<T, R> = { readonly refusal: R } | { readonly result: T };

interface Line<R> {
	/** Attempts that are reserving or at work. */
	underWay: number;
	/** Attempts that have ended: when it rises, a refusal is out of date. */
	outcomes: number;
	/** Called with undefined to try again, with the refusal when there is nothing to wait for. */
	readonly waiting: ((refusal: R | undefined) => void)[];
}

/**
 * Each attempt is counted as a failure before it is made, so twenty parallel right passwords would look like guesses. A
 * refused attempt waits here while others of its key are under way: a right one clears the count and the next may try, and
 * when all were wrong the waiting ones are refused. Covers this process only; `reserve` alone decides.
 */
export class AttemptGate<R> {
	readonly #lines = new Map<string, Line<R>>();

	/** `reserve` returns undefined when the attempt is allowed. @returns the refusal, or the result of `work`. */
	async run<T>(
		key: string,
		reserve: () => Promise<R | undefined>,
		work: () => Promise<T>,
	): Promise<GateOutcome<T, R>> {
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
				// It ended, or failed: the next one may succeed.
				if (refusal === undefined) this.#end(key, line);
			}
			if (line.outcomes !== outcomes) continue;
			if (line.underWay === 1) return { refusal: this.#refuseAll(key, line, refusal) };
			line.underWay--;
			const final = await new Promise<R | undefined>((resolve) => line.waiting.push(resolve));
			if (final !== undefined) return { refusal: final };
		}
	}

	/** Hands the place of an ended attempt to the one that has waited longest. */
	#end(key: string, line: Line<R>): void {
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
