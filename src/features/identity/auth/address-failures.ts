// Failures of a client address over all names: reserved before an attempt, given back unless the attempt was wrong.

import { setTimeout } from "node:timers/promises";
import { ADDRESS_FAILURES } from "../../../domain/sign-in-attempt.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";
import { KeyedSemaphore } from "../../../kernel/semaphore.ts";
import type { Needs } from "../../platform.ts";
import { AttemptGate } from "./attempt-gate.ts";
import type { AttemptRefusal } from "./attempt-refusal.ts";

/** Two seconds in all: longer than a hash on another node takes, including the queue before it. */
export const LOOK_AGAIN_MS = 200;
export const LOOKS = 10;
/**
 * Concurrent transactions that count attempts of one address, or of one name from it. They lock the same row, so more
 * of them would only hold connections that other requests need.
 */
export const COUNTING_AT_ONCE = 4;
const REMEMBERED_ADDRESSES = 10_000;
/** A taken failure is available again after this. */
const EARNED_MS = ADDRESS_FAILURES.windowMs / ADDRESS_FAILURES.count;

/** An attempt that may start must call `end` once. It never rejects. */
type TakenFailure =
	| { readonly refusal: AttemptRefusal }
	| { readonly end: (wasWrong: boolean) => Promise<void> };

/** Counts what this process took itself, so that it can wait for attempts under way on other nodes. */
export class AddressFailures {
	readonly #needs: Needs<"allowances", "clock">;
	readonly #gate = new AttemptGate<AttemptRefusal>();
	readonly #counting = new KeyedSemaphore(COUNTING_AT_ONCE);
	readonly #taken = new RecentMap<{ readonly count: number; readonly atMs: number }>(REMEMBERED_ADDRESSES);

	constructor(needs: Needs<"allowances", "clock">) {
		this.#needs = needs;
	}

	/** Takes a failure; `end` gives it back unless the password or code was wrong. */
	async take(address: string): Promise<TakenFailure> {
		const entry = await this.#gate.enter(address, () => this.#reserve(address));
		if ("refusal" in entry) return entry;
		return {
			end: async (wasWrong) => {
				if (!wasWrong) await this.#giveBack(address).catch(() => undefined);
				entry.leave();
			},
		};
	}

	/**
	 * What other nodes took may belong to right passwords under way, so a refusal that this process did not cause alone
	 * is checked again for two seconds. If the address is still refused, failures caused it, and later refusals do not
	 * wait.
	 */
	async #reserve(address: string): Promise<AttemptRefusal | undefined> {
		const { db, clock } = this.#needs;
		for (let look = 1; ; look++) {
			const nextMs = await this.#counting.run(address, () =>
				db.transaction(({ allowances }) => allowances.take(ADDRESS_FAILURES, address, clock())),
			);
			const own = this.#ownCount(address);
			if (nextMs === undefined) {
				this.#setOwnCount(address, own + 1);
				return undefined;
			}
			if (look >= LOOKS) this.#setOwnCount(address, ADDRESS_FAILURES.count);
			// With room for less than one more, its own failures alone explain the refusal.
			if (own > ADDRESS_FAILURES.count - 1 || look >= LOOKS)
				return { limit: "address", blockedUntilMs: nextMs };
			await setTimeout(LOOK_AGAIN_MS);
		}
	}

	#giveBack(address: string): Promise<void> {
		this.#setOwnCount(address, this.#ownCount(address) - 1);
		return this.#counting.run(address, () =>
			this.#needs.db.transaction(({ allowances }) => allowances.giveBack(ADDRESS_FAILURES, address)),
		);
	}

	/** What this process took and neither gave back nor earned again. */
	#ownCount(address: string): number {
		const taken = this.#taken.find(address);
		if (taken === undefined) return 0;
		return Math.max(0, taken.count - (this.#needs.clock() - taken.atMs) / EARNED_MS);
	}

	#setOwnCount(address: string, count: number): void {
		if (count <= 0) this.#taken.delete(address);
		else this.#taken.set(address, { count, atMs: this.#needs.clock() });
	}
}
