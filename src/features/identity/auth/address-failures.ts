// The failures of a client address over all names: taken before an attempt, given back unless it was wrong.

import { setTimeout } from "node:timers/promises";
import { ADDRESS_FAILURES } from "../../../domain/sign-in-attempt.ts";
import { AppError } from "../../../kernel/error.ts";
import { KeyedSemaphore } from "../../../kernel/keyed-semaphore.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";
import type { Needs } from "../../platform.ts";
import { AttemptGate, type GateOutcome } from "./attempt-gate.ts";
import type { AttemptRefusal } from "./attempt-refusal.ts";

/** Two seconds in all: longer than a hash on another node takes, with those queued before it. */
export const LOOK_AGAIN_MS = 200;
export const LOOKS = 10;
/**
 * Transactions at once that count attempts of one address, or of one name from it. They lock the same row, so that more of
 * them would only hold connections that other requests need.
 */
export const COUNTING_AT_ONCE = 4;
const REMEMBERED_ADDRESSES = 10_000;
/** A taken failure is available again after this. */
const EARNED_MS = ADDRESS_FAILURES.windowMs / ADDRESS_FAILURES.count;

/** Counts per process what it took itself, so that it can wait for attempts under way on other nodes. */
export class AddressFailures {
	readonly #needs: Needs<"allowances", "clock">;
	readonly #gate = new AttemptGate<AttemptRefusal>();
	readonly #counting = new KeyedSemaphore(COUNTING_AT_ONCE);
	readonly #taken = new RecentMap<{ readonly count: number; readonly atMs: number }>(REMEMBERED_ADDRESSES);

	constructor(needs: Needs<"allowances", "clock">) {
		this.#needs = needs;
	}

	/** Takes a failure, runs `work`, and gives it back unless `work` failed because of a wrong password or code. */
	run<T>(address: string, work: () => Promise<T>): Promise<GateOutcome<T, AttemptRefusal>> {
		return this.#gate.run(
			address,
			() => this.#take(address),
			() => this.#attempt(address, work),
		);
	}

	/**
	 * What other nodes took may belong to right passwords under way, so a refusal that this process did not cause alone is
	 * checked again for a moment. If the address is still refused then, failures caused it, and later refusals do not wait.
	 */
	async #take(address: string): Promise<AttemptRefusal | undefined> {
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

	async #attempt<T>(address: string, work: () => Promise<T>): Promise<T> {
		let wasWrong = false;
		try {
			return await work();
		} catch (error) {
			// `forbidden` follows a right password only.
			wasWrong = isVerdict(error) && error.kind !== "forbidden";
			throw error;
		} finally {
			if (!wasWrong) await this.#giveBack(address).catch(() => undefined);
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

/** Whether an attempt ended with a verdict on the password or code. */
export function isVerdict(error: unknown): error is AppError {
	return error instanceof AppError && error.kind !== "unavailable";
}
