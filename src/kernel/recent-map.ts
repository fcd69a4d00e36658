// A bounded cache of recently used entries.

/** Bounds the entries by their size too, in any unit. */
export interface Weights<V> {
	readonly max: number;
	of(value: V): number;
}

/**
 * Holds at most `capacity` entries in two generations, and with `weights` at most so many that they weigh `max`. When
 * the young one is full, the old one is dropped and the young one takes its place; a hit in the old one moves the entry
 * to the young one. Eviction scans nothing, and no table exceeds half of `capacity` (one large Map stops the process
 * while it rehashes).
 */
export class RecentMap<V> {
	readonly #halfSize: number;
	readonly #weights: Weights<V> | undefined;
	#youngWeight = 0;
	#young = new Map<string, V>();
	#old = new Map<string, V>();

	constructor(capacity: number, weights?: Weights<V>) {
		if (!Number.isInteger(capacity) || capacity < 2)
			throw new RangeError("capacity must be an integer above 1");
		this.#halfSize = Math.floor(capacity / 2);
		this.#weights = weights;
	}

	find(key: string): V | undefined {
		const value = this.#young.get(key);
		if (value !== undefined) return value;
		const aged = this.#old.get(key);
		if (aged === undefined) return undefined;
		this.set(key, aged);
		return aged;
	}

	/** Drops an entry heavier than half of the maximum. */
	set(key: string, value: V): void {
		this.#removeYoung(key);
		const weight = this.#weigh(value);
		const half = (this.#weights?.max ?? 0) / 2;
		if (weight > half) {
			this.#old.delete(key);
			return;
		}
		if (this.#young.size >= this.#halfSize || this.#youngWeight + weight > half) {
			this.#old = this.#young;
			this.#young = new Map();
			this.#youngWeight = 0;
		}
		this.#young.set(key, value);
		this.#youngWeight += weight;
	}

	delete(key: string): void {
		this.#removeYoung(key);
		this.#old.delete(key);
	}

	#removeYoung(key: string): void {
		const value = this.#young.get(key);
		if (value === undefined) return;
		this.#young.delete(key);
		this.#youngWeight -= this.#weigh(value);
	}

	#weigh(value: V): number {
		return this.#weights?.of(value) ?? 0;
	}

	/** Counts an entry twice while it is in both generations. */
	get size(): number {
		return this.#young.size + this.#old.size;
	}
}
