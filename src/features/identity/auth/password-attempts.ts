// Counts each attempt before verifying its password. After too many failures, a name or an IP address has to wait.

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
import { AppError } from "../../../kernel/error.ts";
import { rateLimitKey } from "../../../kernel/ip.ts";
import { RecentMap } from "../../../kernel/recent-map.ts";
import { KeyedSemaphore } from "../../../kernel/semaphore.ts";
import type { Needs } from "../../platform.ts";
import { AddressFailures, COUNTING_AT_ONCE, LOOK_AGAIN_MS, LOOKS } from "./address-failures.ts";
import { AttemptGate } from "./attempt-gate.ts";
import { type AttemptRefusal, recordRefusal, tooManyAttempts } from "./attempt-refusal.ts";

const REMEMBERED_NAMES = 10_000;

type Needed = Needs<"loginFailures" | "allowances" | "refusalNotes" | "audit", "clock"> & {
	readonly passwords: Pick<PasswordHasher, "checkRoom">;
};

/** `wrong`: the password or code. `denied`: it was correct, but the account is refused. `none`: it was not verified. */
type Verdict = "correct" | "wrong" | "denied" | "none";

/** A counted attempt may be verified, and must then call `end` once. */
type CountedAttempt =
	| { readonly refusal: AttemptRefusal }
	| { readonly failures: number; readonly end: (verdict: Verdict) => Promise<void> };

/** Create one per process: it makes concurrent attempts wait for each other. */
export class PasswordAttempts implements PasswordAttemptCounter {
	readonly #needs: Needed;
	readonly #addresses: AddressFailures;
	readonly #gate = new AttemptGate<{ readonly blockedUntilMs: number }>();
	readonly #counting = new KeyedSemaphore(COUNTING_AT_ONCE);
	/** Attempts that this process counted since the last correct one, by name and IP address. */
	readonly #counted = new RecentMap<number>(REMEMBERED_NAMES);

	constructor(needs: Needed) {
		this.#needs = needs;
		this.#addresses = new AddressFailures(needs);
	}

	async run<T>(
		attempt: Attempt,
		verify: (count: AttemptCount) => Promise<T>,
		appendRefusal?: RecordRefusal,
	): Promise<T> {
		// Before any write: a refusal by the full queue must not cost a commit.
		this.#needs.passwords.checkRoom(addressOf(attempt));
		const counted = await this.#count(attempt);
		if ("refusal" in counted) {
			if (appendRefusal !== undefined)
				await recordRefusal(this.#needs, attempt, counted.refusal, appendRefusal);
			throw tooManyAttempts(counted.refusal, this.#needs.clock());
		}
		const { failures, end } = counted;
		let verdict: Verdict = "none";
		try {
			const result = await verify({ failures, locked: failures > FAILURES_BEFORE_LOCK });
			verdict = "correct";
			return result;
		} catch (error) {
			verdict = verdictOf(error);
			throw error;
		} finally {
			await end(verdict);
		}
	}

	/** Counts the attempt against the IP address, then against the name. */
	async #count(attempt: Attempt): Promise<CountedAttempt> {
		const taken = await this.#addresses.take(addressOf(attempt));
		if ("refusal" in taken) return taken;
		const counted = await this.#countName(attempt).catch(async (error: unknown) => {
			await taken.end(false);
			throw error;
		});
		if ("refusal" in counted) {
			await taken.end(false);
			return counted;
		}
		const end = async (verdict: Verdict): Promise<void> => {
			await counted.end(verdict);
			await taken.end(verdict === "wrong");
		};
		return { failures: counted.failures, end };
	}

	async #countName(attempt: Attempt): Promise<CountedAttempt> {
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
		const entry = await this.#gate.enter(key, () => this.#reserve(key, reserve));
		if ("refusal" in entry) return { refusal: { limit: "name", ...entry.refusal } };
		const end = async (verdict: Verdict): Promise<void> => {
			// `verify` has already cleared the stored counts of a correct attempt.
			if (verdict === "correct") this.#counted.delete(key);
			if (verdict === "none") await this.#release(attempt).catch(() => undefined);
			entry.leave();
		};
		return { failures, end };
	}

	/**
	 * Recently counted attempts may be correct ones in progress on another node, so a refusal that they caused is retried
	 * for two seconds. The gate waits for those of this process.
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

	#release({ tenantId, name, account, ip }: Attempt): Promise<void> {
		return this.#needs.db.transaction(async ({ loginFailures }) => {
			await loginFailures.release(tenantId, name, ip);
			await loginFailures.release(tenantId, account, ANY_ADDRESS);
		});
	}
}

function addressOf({ address, ip }: Attempt): string {
	return rateLimitKey(address ?? ip);
}

function verdictOf(error: unknown): Verdict {
	if (!(error instanceof AppError) || error.kind === "unavailable") return "none";
	// Only a correct password reveals `forbidden`.
	return error.kind === "forbidden" ? "denied" : "wrong";
}
