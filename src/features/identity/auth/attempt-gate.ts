// Makes concurrent attempts at one key wait for each other's outcome, so that correct ones are not refused.

/** An attempt that may start must call `leave` once, after it has ended. */
export type Entry<R> = { readonly refusal: R } | { readonly leave: () => void };

interface Line<R> {
	/** Attempts that are reserving or have entered. */
	underWay: number;
	/** Number of ended attempts: when it increases, earlier refusals are outdated. */
	outcomes: number;
	/** Called with undefined to try again, or with the refusal if there is no other attempt to wait for. */
	readonly waiting: ((refusal: R | undefined) => void)[];
}

/**
 * Each attempt counts as a failure before its password is verified, so twenty concurrent correct passwords would look
 * like guesses. A refused attempt therefore waits while other attempts of its key are in progress. A correct one clears
 * the count, and the next may try; if all were wrong, the waiting ones are refused. Covers this process only; `reserve`
 * alone decides.
 */
export class AttemptGate<R> {
	readonly #lines = new Map<string, Line<R>>();

	/** @param reserve returns undefined if the attempt may start. */
	async enter(key: string, reserve: () => Promise<R | undefined>): Promise<Entry<R>> {
		const line = this.#lines.get(key) ?? { underWay: 0, outcomes: 0, waiting: [] };
		this.#lines.set(key, line);
		line.underWay++;
		for (;;) {
			const outcomes = line.outcomes;
			const refusal = await reserve().catch((error: unknown) => {
				this.#end(key, line);
				throw error;
			});
			if (refusal === undefined) return { leave: () => this.#end(key, line) };
			if (line.outcomes !== outcomes) continue;
			if (line.underWay === 1) return { refusal: this.#refuseAll(key, line, refusal) };
			line.underWay--;
			const final = await new Promise<R | undefined>((resolve) => line.waiting.push(resolve));
			if (final !== undefined) return { refusal: final };
		}
	}

	/** Passes the slot of an ended attempt to the attempt that has waited longest. */
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
