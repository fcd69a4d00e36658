// Buffers records in bounded memory and writes them in batches.

interface Options<Entry> {
	/** What the entries are, for logs and metrics: `last_uses`. */
	readonly name: string;
	/** The maximum of entries that wait. A further one drops the oldest. */
	readonly max: number;
	/** Combines two entries of one key. May change and return `earlier`. */
	merge(earlier: Entry, later: Entry): Entry;
	/** Writes all entries or none, in one transaction. Skips entries whose row was deleted, or no later flush would succeed. */
	write(entries: readonly Entry[]): Promise<unknown>;
	/** Called with each entry that is dropped. */
	onDrop?(entry: Entry): void;
}

/** A job flushes it every few seconds, and a stop once more. */
export interface Flushable {
	/** @throws what the write throws. */
	flush(): Promise<void>;
}

/** A `WriteBehind` without its entries. */
export type RecordBuffer = Flushable & Pick<WriteBehind<never>, "name" | "dropped">;

/**
 * Holds one entry per key until the next `flush`. The entries of a failed flush wait with the newer ones for the next, and merge with
 * those of the same key. Above `max`, the oldest entries are dropped and counted.
 *
 * A crash loses the entries since the last successful flush: a few seconds. A connection that breaks during a commit may write a batch twice.
 * Use it only for what may be lost or counted twice: statistics and last uses, never a decision.
 */
export class WriteBehind<Entry> implements Flushable {
	readonly name: string;
	readonly #options: Options<Entry>;
	#waiting = new Map<string, Entry>();
	/** Continues behind the entries that were dropped, so that dropping the oldest scans nothing. */
	#oldest = this.#waiting.keys();
	#dropped = 0;

	constructor(options: Options<Entry>) {
		this.name = options.name;
		this.#options = options;
	}

	/** Entries that wait. */
	get size(): number {
		return this.#waiting.size;
	}

	/** Entries dropped since this process started. */
	get dropped(): number {
		return this.#dropped;
	}

	/** Must not be slow: hot paths call it. */
	record(key: string, entry: Entry): void {
		const earlier = this.#waiting.get(key);
		if (earlier === undefined && this.#waiting.size >= this.#options.max) this.#dropOldest();
		this.#waiting.set(key, earlier === undefined ? entry : this.#options.merge(earlier, entry));
	}

	/** Call it again only when it has settled. */
	async flush(): Promise<void> {
		if (this.#waiting.size === 0) return;
		const writing = this.#waiting;
		this.#waitFor(new Map());
		try {
			await this.#options.write([...writing.values()]);
		} catch (error) {
			const newer = this.#waiting;
			this.#waitFor(writing);
			for (const [key, entry] of newer) this.record(key, entry);
			throw error;
		}
	}

	#waitFor(entries: Map<string, Entry>): void {
		this.#waiting = entries;
		this.#oldest = entries.keys();
	}

	#dropOldest(): void {
		const { value: key, done } = this.#oldest.next();
		const entry = done ? undefined : this.#waiting.get(key);
		if (done || entry === undefined) return;
		this.#waiting.delete(key);
		this.#dropped++;
		this.#options.onDrop?.(entry);
	}
}

/**
 * Flushes all, even if one fails: the buffers of a round together, after those of the previous round.
 *
 * @throws AggregateError with every failure.
 */
export async function flushAll(...rounds: readonly (readonly Flushable[])[]): Promise<void> {
	const failures: unknown[] = [];
	for (const buffers of rounds) {
		const results = await Promise.allSettled(buffers.map((buffer) => buffer.flush()));
		for (const result of results) if (result.status === "rejected") failures.push(result.reason);
	}
	if (failures.length > 0) throw new AggregateError(failures, "records could not be written");
}
