// Failures of an IP address across all names: reserved before an attempt, and released unless the attempt was wrong.

import { setTimeout } from "node:timers/promises";
import { ADDRESS_FAILURES } from "../../../domain/sign-in-attempt.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";
import { KeyedSemaphore } from "../../../kernel/semaphore.ts";
import type { Needs } from "../../platform.ts";
import { AttemptGate } from "./attempt-gate.ts";
import type { AttemptRefusal } from "./attempt-refusal.ts";

/** Two seconds in total: longer than another node needs for a hash, including its queue. */
export const LOOK_AGAIN_MS = 200;
export const LOOKS = 10;
/**
 * Maximum number of concurrent transactions that count attempts of one IP address, or of one name from it. They lock the
 * same row, so more of them would only occupy connections that other requests need.
 */
export const COUNTING_AT_ONCE = 4;
const REMEMBERED_ADDRESSES = 10_000;
/** After this time, a taken failure is available again. */
const EARNED_MS = ADDRESS_FAILURES.windowMs / ADDRESS_FAILURES.count;

/** An attempt that may start must call `end` once; `end` never rejects. */
type TakenFailure =
	| { readonly refusal: AttemptRefusal }
	| { readonly end: (wasWrong: boolean) => Promise<void> };

/** Counts the failures that this process took itself, so that it can wait for attempts in progress on other nodes. */
export class AddressFailures {
	readonly #needs: Needs<"allowances", "clock">;
	readonly #gate = new AttemptGate<AttemptRefusal>();
	readonly #counting = new KeyedSemaphore(COUNTING_AT_ONCE);
	readonly #taken = new RecentMap<{ readonly count: number; readonly atMs: number }>(REMEMBERED_ADDRESSES);

	constructor(needs: Needs<"allowances", "clock">) {
		this.#needs = needs;
	}

	/** Takes a failure; `end` releases it unless the password or code was wrong. */
	async take(address: string): Promise<TakenFailure> {
		const entry = await this.#gate.enter(address, () => this.#reserve(address));
		if ("refusal" in entry) return entry;
		return {
			end: async (wasWrong) => {
				if (!wasWrong) await this.#release(address).catch(() => undefined);
				entry.leave();
			},
		};
	}

	/**
	 * Failures taken by other nodes may belong to correct passwords that are being verified. So if this process alone did
	 * not cause a refusal, it retries for two seconds. If the address is still refused, real failures caused it, and later
	 * refusals do not wait.
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
			// This process alone has taken so many that no further failure fits.
			if (own > ADDRESS_FAILURES.count - 1 || look >= LOOKS)
				return { limit: "address", blockedUntilMs: nextMs };
			await setTimeout(LOOK_AGAIN_MS);
		}
	}

	#release(address: string): Promise<void> {
		this.#setOwnCount(address, this.#ownCount(address) - 1);
		return this.#counting.run(address, () =>
			this.#needs.db.transaction(({ allowances }) => allowances.giveBack(ADDRESS_FAILURES, address)),
		);
	}

	/** The failures that this process took, less those released and those available again. */
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
