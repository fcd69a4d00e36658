// Counts attempts by a key before they are verified, and makes concurrent ones wait for each other's outcome.

import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../../kernel/clock.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";
import { Semaphore } from "../../../kernel/semaphore.ts";

/** Two seconds in total: longer than another node needs for a hash, including its queue. */
const LOOK_AGAIN_MS = 200;
const LOOKS = 10;
export const LOOKING_MS = LOOKS * LOOK_AGAIN_MS;
/** Transactions of one key at a time: they lock the same row, so more would only occupy connections. */
const COUNTING_AT_ONCE = 4;
const REMEMBERED_KEYS = 10_000;

/** Why an attempt was not counted. */
export interface Blocked {
	readonly untilMs: number;
	/** How many counted attempts, of all nodes, may still turn out to be correct. */
	readonly underWay: number;
}

/** Each call is one transaction, which alone decides. */
export interface AttemptCounting {
	/** @returns undefined if the attempt is counted and may be verified. */
	count(): Promise<Blocked | undefined>;
	release(): Promise<void>;
}

/**
 * Dispose it when the attempt has ended. Unless `outcome` says that the count stays (`kept`) or was cleared with all
 * others of the key (`cleared`), that releases it. Disposing never rejects.
 */
export interface AttemptReservation extends AsyncDisposable {
	/** Set: the attempt must not be verified. */
	readonly blocked?: Blocked;
	outcome: "released" | "kept" | "cleared";
}

interface AttemptLimitOptions {
	readonly clock: Clock;
	/** After this time, one counted attempt is forgotten. */
	readonly forgottenMs: number;
	readonly wait?: ((ms: number) => Promise<unknown>) | undefined;
}

interface Line {
	readonly counting: Semaphore;
	/** Attempts that are counting or being verified. */
	underWay: number;
	/** Number of ended attempts: when it increases, earlier refusals are outdated. */
	outcomes: number;
	/** Refusals since the last outcome that other nodes may have caused. */
	looks: number;
	/** Called with undefined to try again, or with the refusal if there is no other attempt to wait for. */
	readonly waiting: ((blocked: Blocked | undefined) => void)[];
}

/**
 * Each attempt counts as a failure before its password is verified, so twenty concurrent correct passwords would look
 * like guesses. A refused attempt therefore waits while other attempts of its key are in progress. A correct one makes
 * room, and the next may try; if all were wrong, the waiting ones are refused. The last attempt of this process looks
 * again for two seconds if another node may have counted correct ones. Create one per process.
 */
export class AttemptLimit {
	readonly #lines = new Map<string, Line>();
	/** Attempts that this process counted and did not release. */
	readonly #own = new RecentMap<{ readonly count: number; readonly atMs: number }>(REMEMBERED_KEYS);
	readonly #clock: Clock;
	readonly #forgottenMs: number;
	readonly #wait: (ms: number) => Promise<unknown>;

	constructor({ clock, forgottenMs, wait = setTimeout }: AttemptLimitOptions) {
		this.#clock = clock;
		this.#forgottenMs = forgottenMs;
		this.#wait = wait;
	}

	/** @throws what `count` throws. */
	async reserve(key: string, counting: AttemptCounting): Promise<AttemptReservation> {
		const line = this.#lines.get(key) ?? newLine();
		this.#lines.set(key, line);
		line.underWay++;
		const blocked = await this.#enter(key, line, counting).catch((error: unknown) => {
			this.#leave(key, line);
			throw error;
		});
		if (blocked !== undefined)
			return { blocked, outcome: "kept", [Symbol.asyncDispose]: async () => undefined };
		const end = async (outcome: AttemptReservation["outcome"]): Promise<void> => {
			if (outcome === "released") {
				this.#remember(key, this.#ownCount(key) - 1);
				await inTurn(line, counting.release).catch(() => undefined);
			}
			if (outcome === "cleared") this.#own.delete(key);
			this.#leave(key, line);
		};
		const reservation: AttemptReservation = {
			outcome: "released",
			[Symbol.asyncDispose]: () => end(reservation.outcome),
		};
		return reservation;
	}

	async #enter(key: string, line: Line, { count }: AttemptCounting): Promise<Blocked | undefined> {
		for (;;) {
			const { outcomes } = line;
			const blocked = await inTurn(line, count);
			const own = this.#ownCount(key);
			if (blocked === undefined) return this.#remember(key, own + 1);
			if (line.outcomes !== outcomes) continue;
			if (line.underWay > 1) {
				line.underWay--;
				const final = await new Promise<Blocked | undefined>((resolve) => line.waiting.push(resolve));
				if (final !== undefined) return final;
			} else if (own > blocked.underWay - 1) return this.#refuseAll(key, line, blocked);
			else if (++line.looks < LOOKS) await this.#wait(LOOK_AGAIN_MS);
			// None was correct in this time, so later refusals do not wait for them again.
			else this.#remember(key, blocked.underWay);
		}
	}

	/** Passes the slot of an ended attempt to the attempt that has waited longest. */
	#leave(key: string, line: Line): void {
		line.outcomes++;
		line.looks = 0;
		const next = line.waiting.shift();
		if (next !== undefined) next(undefined);
		else if (--line.underWay === 0) this.#lines.delete(key);
	}

	#refuseAll(key: string, line: Line, blocked: Blocked): Blocked {
		for (const refuse of line.waiting.splice(0)) refuse(blocked);
		this.#lines.delete(key);
		return blocked;
	}

	#ownCount(key: string): number {
		const own = this.#own.find(key);
		if (own === undefined) return 0;
		return Math.max(0, own.count - (this.#clock() - own.atMs) / this.#forgottenMs);
	}

	#remember(key: string, count: number): undefined {
		if (count <= 0) this.#own.delete(key);
		else this.#own.set(key, { count, atMs: this.#clock() });
	}
}

function newLine(): Line {
	return { counting: new Semaphore(COUNTING_AT_ONCE), underWay: 0, outcomes: 0, looks: 0, waiting: [] };
}

async function inTurn<T>({ counting }: Line, work: () => Promise<T>): Promise<T> {
	const leave = await counting.acquire();
	try {
		return await work();
	} finally {
		leave();
	}
}
