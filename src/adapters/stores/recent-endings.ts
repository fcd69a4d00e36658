// What this process ended in the last ten minutes. A server that took over may lack the last commits, so the process
// repeats them there.

import type { Db, Stores } from "../../domain/stores.ts";
import { type Clock, MINUTE_MS } from "../../kernel/clock.ts";

const KEPT_MS = 10 * MINUTE_MS;
/** Beyond it, the oldest are dropped. */
const MAX = 100_000;

type EndingStores = Pick<Stores, "sessions" | "apiClients">;

interface Ending {
	readonly atMs: number;
	/** Changes nothing if it is not lost. */
	repeat(stores: EndingStores): Promise<unknown>;
}

/**
 * Records the ended sessions and the disabled and removed API clients of the stores that it observes, also those of a
 * transaction that is rolled back: ending something once more is safe.
 */
export class RecentEndings {
	readonly #clock: Clock;
	readonly #unobserved = new WeakMap<EndingStores["sessions"], EndingStores>();
	#endings: Ending[] = [];

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The same stores; each call that ends something is recorded. */
	observe<S extends EndingStores>(stores: S): S {
		const { sessions, apiClients } = stores;
		const observed: S = {
			...stores,
			sessions: {
				...sessions,
				end: (...call) => {
					this.#record((again) => again.sessions.end(...call));
					return sessions.end(...call);
				},
				endAll: (...call) => {
					this.#record((again) => again.sessions.endAll(...call));
					return sessions.endAll(...call);
				},
				endOfApplication: (...call) => {
					this.#record((again) => again.sessions.endOfApplication(...call));
					return sessions.endOfApplication(...call);
				},
			},
			apiClients: {
				...apiClients,
				update: (...call) => {
					if (call[2].status === "disabled") this.#record((again) => again.apiClients.update(...call));
					return apiClients.update(...call);
				},
				remove: (...call) => {
					this.#record((again) => again.apiClients.remove(...call));
					return apiClients.remove(...call);
				},
			},
		};
		this.#unobserved.set(observed.sessions, stores);
		return observed;
	}

	/**
	 * Each in a transaction of its own, without recording it again. A user who signed in again after all sessions were
	 * ended signs in once more.
	 *
	 * @returns how many were repeated.
	 */
	async repeat(db: Db<"sessions" | "apiClients">): Promise<number> {
		this.#dropOld();
		const endings = [...this.#endings];
		for (const ending of endings)
			await db.transaction((stores) => ending.repeat(this.#unobserved.get(stores.sessions) ?? stores));
		return endings.length;
	}

	#record(repeat: Ending["repeat"]): void {
		if (this.#endings.length >= MAX) this.#dropOld();
		if (this.#endings.length >= MAX) this.#endings = this.#endings.slice(MAX / 10);
		this.#endings.push({ atMs: this.#clock(), repeat });
	}

	#dropOld(): void {
		const oldestMs = this.#clock() - KEPT_MS;
		this.#endings = this.#endings.filter(({ atMs }) => atMs >= oldestMs);
	}
}
