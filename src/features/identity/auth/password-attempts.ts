// Counts each verification of a password before it is made. Too many failures make a name or an address wait.

import { setTimeout } from "node:timers/promises";
import type { PasswordHasher } from "../../../crypto/password.ts";
import {
	ANY_ADDRESS,
	type Attempt,
	type AttemptCount,
	FAILURES_BEFORE_LOCK,
	type PasswordAttemptCounter,
	type RecordRefusal,
	type Reservation,
} from "../../../domain/sign-in-attempt.ts";
import { rateLimitKey } from "../../../kernel/ip.ts";
import { KeyedSemaphore } from "../../../kernel/keyed-semaphore.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";
import type { Needs } from "../../platform.ts";
import { AddressFailures, COUNTING_AT_ONCE, isVerdict, LOOK_AGAIN_MS, LOOKS } from "./address-failures.ts";
import { AttemptGate, type GateOutcome } from "./attempt-gate.ts";
import { type AttemptRefusal, noteRefusal, tooManyAttempts } from "./attempt-refusal.ts";

const REMEMBERED_NAMES = 10_000;

type Needed = Needs<"loginFailures" | "allowances" | "refusalNotes" | "audit", "clock"> & {
	readonly passwords: Pick<PasswordHasher, "checkRoom">;
};

/** Create one per process: parallel attempts wait for each other in it. */
export class PasswordAttempts implements PasswordAttemptCounter {
	readonly #needs: Needed;
	readonly #addresses: AddressFailures;
	readonly #gate = new AttemptGate<{ readonly blockedUntilMs: number }>();
	readonly #counting = new KeyedSemaphore(COUNTING_AT_ONCE);
	/** Attempts counted by this process, by name and address, since the last right one. */
	readonly #counted = new RecentMap<number>(REMEMBERED_NAMES);

	constructor(needs: Needed) {
		this.#needs = needs;
		this.#addresses = new AddressFailures(needs);
	}

	async run<T>(
		attempt: Attempt,
		verify: (count: AttemptCount) => Promise<T>,
		recordRefusal?: RecordRefusal,
	): Promise<T> {
		const { clock, passwords } = this.#needs;
		const address = rateLimitKey(attempt.address ?? attempt.ip);
		// Before anything is written: a refusal for lack of room must not cost a commit.
		passwords.checkRoom(address);
		const taken = await this.#addresses.run(address, () => this.#runForName(attempt, verify));
		const outcome = "refusal" in taken ? taken : taken.result;
		if ("result" in outcome) return outcome.result;
		if (recordRefusal !== undefined) await noteRefusal(this.#needs, attempt, outcome.refusal, recordRefusal);
		throw tooManyAttempts(outcome.refusal, clock());
	}

	async #runForName<T>(
		attempt: Attempt,
		verify: (count: AttemptCount) => Promise<T>,
	): Promise<GateOutcome<T, AttemptRefusal>> {
		const { db, clock } = this.#needs;
		const { tenantId, name, account, ip } = attempt;
		const key = `${tenantId} ${name} ${ip}`;
		let failures = 0;
		const reserve = (): Promise<Reservation> =>
			this.#counting.run(key, () =>
				db.transaction(async ({ loginFailures }) => {
					const now = clock();
					const refusal = await loginFailures.reserve(tenantId, name, ip, now);
					if (refusal === undefined) failures = await loginFailures.count(tenantId, account, now);
					return refusal;
				}),
			);
		const outcome = await this.#gate.run(
			key,
			() => this.#reserve(key, reserve),
			() => this.#verify(attempt, () => verify({ failures, locked: failures > FAILURES_BEFORE_LOCK })),
		);
		if ("refusal" in outcome) return { refusal: { limit: "name", ...outcome.refusal } };
		// It was right, and `verify` has cleared the counts.
		this.#counted.delete(key);
		return outcome;
	}

	/**
	 * Attempts counted just now may be right ones under way on another node, so a refusal caused by them is checked again for
	 * a moment. The gate waits for those of this process.
	 */
	async #reserve(key: string, reserve: () => Promise<Reservation>): Promise<Reservation> {
		for (let look = 1; ; look++) {
			const refusal = await reserve();
			const own = this.#counted.find(key) ?? 0;
			if (refusal === undefined) this.#counted.set(key, own + 1);
			if (refusal === undefined || refusal.failures <= own || look >= LOOKS) return refusal;
			if (this.#needs.clock() - refusal.sinceMs > LOOKS * LOOK_AGAIN_MS) return refusal;
			await setTimeout(LOOK_AGAIN_MS);
		}
	}

	/** Releases an attempt that ended without a verdict. */
	async #verify<T>({ tenantId, name, account, ip }: Attempt, verify: () => Promise<T>): Promise<T> {
		try {
			return await verify();
		} catch (error) {
			if (!isVerdict(error)) {
				const release = this.#needs.db.transaction(async ({ loginFailures }) => {
					await loginFailures.release(tenantId, name, ip);
					await loginFailures.release(tenantId, account, ANY_ADDRESS);
				});
				await release.catch(() => undefined);
			}
			throw error;
		}
	}
}
