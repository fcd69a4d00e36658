// A bounded cache of recently used entries.

/**
 * Holds at most `capacity` entries in two generations. When the young one is full, the old one is dropped and the young
 * one takes its place; a hit in the old one moves the entry to the young one. Eviction scans nothing, and no table
 * exceeds half of `capacity` (one large Map stops the process while it rehashes).
 */
export class RecentMap<V> {
	readonly #halfSize: number;
	#young = new Map<string, V>();
	#old = new Map<string, V>();

	constructor(capacity: number) {
		if (!Number.isInteger(capacity) || capacity < 2)
			throw new RangeError("capacity must be an integer above 1");
		this.#halfSize = Math.floor(capacity / 2);
	}

	find(key: string): V | undefined {
		const value = this.#young.get(key);
		if (value !== undefined) return value;
		const aged = this.#old.get(key);
		if (aged === undefined) return undefined;
		this.set(key, aged);
		return aged;
	}

	set(key: string, value: V): void {
		if (this.#young.size >= this.#halfSize && !this.#young.has(key)) {
			this.#old = this.#young;
			this.#young = new Map();
		}
		this.#young.set(key, value);
	}

	delete(key: string): void {
		this.#young.delete(key);
		this.#old.delete(key);
	}

	/** Counts an entry twice while it is in both generations. */
	get size(): number {
		return this.#young.size + this.#old.size;
	}
}
