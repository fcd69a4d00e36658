// What this process ended in the last ten minutes. A server that took over may lack the last commits, so the process
// repeats them there.

import type { Db, Stores } from "../../domain/stores.ts";
import { type Clock, MINUTE_MS } from "../../kernel/clock.ts";

const KEPT_MS = 10 * MINUTE_MS;
/** Beyond it, the oldest are dropped. */
const MAX = 100_000;

type EndingStores = Pick<Stores, "sessions" | "apiClients">;

/** One ending, to be repeated on a database that may have lost it. */
export interface Ending {
	readonly atMs: number;
	/** Changes nothing if it is not lost. */
	repeat(stores: EndingStores): Promise<unknown>;
}

/**
 * Observes the ended sessions and the disabled and removed API clients of transactions. Only what was committed is kept:
 * a change that was refused must not happen later.
 */
export class RecentEndings {
	readonly #clock: Clock;
	readonly #unobserved = new WeakMap<EndingStores["sessions"], EndingStores>();
	#endings: Ending[] = [];

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The same stores; each call that ends something is added to `ended`. */
	observe<S extends EndingStores>(stores: S, ended: Ending[]): S {
		const { sessions, apiClients } = stores;
		const record = (repeat: Ending["repeat"]): void => {
			ended.push({ atMs: this.#clock(), repeat });
		};
		const observed: S = {
			...stores,
			sessions: {
				...sessions,
				end: (...call) => {
					record((again) => again.sessions.end(...call));
					return sessions.end(...call);
				},
				endAll: (...call) => {
					record((again) => again.sessions.endAll(...call));
					return sessions.endAll(...call);
				},
				endOfApplication: (...call) => {
					record((again) => again.sessions.endOfApplication(...call));
					return sessions.endOfApplication(...call);
				},
			},
			apiClients: {
				...apiClients,
				update: (...call) => {
					const [tenantId, id, { status }, nowMs] = call;
					if (status === "disabled") record((again) => disableAgain(again, tenantId, id, nowMs));
					return apiClients.update(...call);
				},
				remove: (...call) => {
					record((again) => again.apiClients.remove(...call));
					return apiClients.remove(...call);
				},
			},
		};
		this.#unobserved.set(observed.sessions, stores);
		return observed;
	}

	/** Keeps what a transaction ended; call it when the transaction is committed. */
	keep(ended: readonly Ending[]): void {
		if (this.#endings.length + ended.length > MAX) this.#dropOld();
		this.#endings.push(...ended);
		if (this.#endings.length > MAX) this.#endings = this.#endings.slice(-(MAX - MAX / 10));
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

	#dropOld(): void {
		const oldestMs = this.#clock() - KEPT_MS;
		this.#endings = this.#endings.filter(({ atMs }) => atMs >= oldestMs);
	}
}

/** A later change of the client was not lost, so this one was not lost either: the client may have been enabled again. */
async function disableAgain(
	{ apiClients }: EndingStores,
	tenantId: string,
	id: string,
	disabledAtMs: number,
): Promise<void> {
	const client = await apiClients.findForUpdate(tenantId, id);
	if (client === undefined || client.updatedAtMs >= disabledAtMs) return;
	await apiClients.update(tenantId, id, { status: "disabled" }, disabledAtMs);
}
