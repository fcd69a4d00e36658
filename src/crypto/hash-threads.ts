// The threads that hash passwords: each runs one hash alone, or several that share it.

export interface ThreadSharing {
	/** Hashes on one shared thread, at least 2. */
	readonly lanes: number;
	/** Whether this thread (from 0) can be shared now. Called only when a hash waits for it. */
	isReady(thread: number): boolean;
}

/** Where a hash runs. */
export interface HashPlace {
	/** From 0. */
	readonly thread: number;
	readonly isShared: boolean;
}

interface Thread {
	running: number;
	isShared: boolean;
}

export class HashThreads {
	readonly #threads: readonly Thread[];
	readonly #sharing: ThreadSharing | undefined;

	constructor(count: number, sharing: ThreadSharing | undefined) {
		if (!Number.isInteger(count) || count < 1) throw new RangeError("threads must be at least 1");
		this.#threads = Array.from({ length: count }, () => ({ running: 0, isShared: false }));
		this.#sharing = sharing;
	}

	get running(): number {
		return this.#threads.reduce((sum, { running }) => sum + running, 0);
	}

	/** Whether any thread is idle. */
	get hasFree(): boolean {
		return this.#threads.some(({ running }) => running === 0);
	}

	/**
	 * A place on a shared thread with room, otherwise a free thread, otherwise undefined. A single hash gets its own
	 * thread, where it is fastest; `isCrowd`: another hash waits to share the thread.
	 */
	take(mayShare: boolean, isCrowd: boolean): HashPlace | undefined {
		const joined = mayShare ? this.#findShared() : -1;
		const thread = joined >= 0 ? joined : this.#threads.findIndex(({ running }) => running === 0);
		const taken = this.#threads[thread];
		if (taken === undefined) return undefined;
		if (taken.running === 0) taken.isShared = mayShare && isCrowd && this.#sharing?.isReady(thread) === true;
		taken.running += 1;
		return { thread, isShared: taken.isShared };
	}

	release({ thread }: HashPlace): void {
		const taken = this.#threads[thread];
		if (taken !== undefined) taken.running -= 1;
	}

	#findShared(): number {
		const sharing = this.#sharing;
		if (sharing === undefined) return -1;
		return this.#threads.findIndex(
			({ running, isShared }, thread) =>
				isShared && running > 0 && running < sharing.lanes && sharing.isReady(thread),
		);
	}
}
