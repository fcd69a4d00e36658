// bcrypt work whose result is discarded: it makes a wrong password take as long as an unknown name.

/** One hash of cost 12 on one core, measured on a 2-core machine; each cost step doubles it. */
const HASH_MS_AT_COST_12 = 200;
const COST_MIN = 4;
/** The share of a new measurement in the average, once there are enough. */
const WEIGHT = 1 / 8;

export function hashMsAt(cost: number): number {
	return HASH_MS_AT_COST_12 * 2 ** (cost - 12);
}

/** Call every method in the hash queue. */
export class BcryptWork {
	readonly #cost: number;
	readonly #verify: (text: string, hash: string) => Promise<boolean>;
	readonly #monotonicMs: () => number;
	/** The time of one hash at `cost`, averaged over the last ones of this process. */
	#fullMs: number;
	#measurements = 0;

	constructor(
		cost: number,
		verify: (text: string, hash: string) => Promise<boolean>,
		monotonicMs = () => performance.now(),
	) {
		this.#cost = cost;
		this.#verify = verify;
		this.#monotonicMs = monotonicMs;
		this.#fullMs = hashMsAt(cost);
	}

	/** The work of one full hash. */
	async spend(text: string): Promise<void> {
		await this.verify(text, hashOfNobody(this.#cost), this.#cost);
	}

	/** Measures a hash of full cost. */
	async verify(text: string, hash: string, hashCost: number): Promise<boolean> {
		const startedAt = this.#monotonicMs();
		const result = await this.#verify(text, hash);
		if (hashCost !== this.#cost) return result;
		// The first measurement replaces the estimate.
		const weight = Math.max(WEIGHT, 1 / ++this.#measurements);
		this.#fullMs += weight * (this.#monotonicMs() - startedAt - this.#fullMs);
		return result;
	}

	/** After a hash of `spentCost`: the rest of one full hash. 2^spent + (2^spent + … + 2^(cost-1)) = 2^cost. */
	async addSteps(text: string, spentCost: number): Promise<void> {
		for (let step = spentCost; step < this.#cost; step++) await this.#verify(text, hashOfNobody(step));
	}

	/** After other work that began at `startedAt` (`performance.now()`): adds up to the time of one full hash. */
	async fillUp(text: string, startedAt: number): Promise<void> {
		for (let step = this.#cost - 1; step >= COST_MIN; step--) {
			const stepMs = this.#fullMs * 2 ** (step - this.#cost);
			if (this.#monotonicMs() - startedAt + stepMs <= this.#fullMs)
				await this.#verify(text, hashOfNobody(step));
		}
	}
}

/** A valid hash of an unknown password, for which bcrypt does the full work. */
function hashOfNobody(cost: number): string {
	return `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`;
}
