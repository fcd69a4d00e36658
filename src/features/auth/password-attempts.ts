// Every look at a password at sign-in is counted before it is made; whoever guesses too often has to wait.

import { setTimeout } from "node:timers/promises";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import { RecentMap } from "../../kernel/recent-map.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { AttemptGate } from "./attempt-gate.ts";
import {
	ANY_ADDRESS,
	FAILURES_BEFORE_DELAY,
	FAILURES_BEFORE_LOCK,
	type LoginFailureStore,
	type Reservation,
} from "./model.ts";

const REMEMBERED_NAMES = 10_000;
/** Two seconds in all: longer than a hash on another node takes, those before it in its queue included. */
const LOOK_AGAIN_MS = 200;
const LOOKS = 10;

export interface PasswordAttemptsDeps {
	readonly db: Persistence<{ loginFailures: LoginFailureStore }>;
	readonly clock: Clock;
	/** @throws AppError `service.overloaded` when a hash would be refused. */
	readonly passwords: { checkRoom(): void };
}

export interface Attempt {
	readonly tenantId: string;
	/** `nameSubject` of what was typed: known and unknown names wait alike. */
	readonly name: string;
	/** `accountSubject`, or again the name when nobody is called so: the same work. */
	readonly account: string;
	readonly ip: string;
}

/** `failures` in a row over all addresses, this one included should it fail; past the limit the account is locked. */
export interface AttemptCount {
	readonly failures: number;
	readonly locked: boolean;
}

/** Runs attempts one service has under way; make one a process, so that they can wait for each other. */
export class PasswordAttempts {
	readonly #deps: PasswordAttemptsDeps;
	readonly #gate = new AttemptGate<{ readonly blockedUntilMs: number }>();
	/** Attempts this process counted, by name and address, since the last one that was right. */
	readonly #counted = new RecentMap<number>(REMEMBERED_NAMES);

	constructor(deps: PasswordAttemptsDeps) {
		this.#deps = deps;
	}

	/**
	 * Counts the attempt, then makes it. `make` looks at the password, clears the counts when it was right, and
	 * throws when it was not; when the service could not look at all the attempt is taken back.
	 *
	 * @throws AppError `service.overloaded`, without having counted it; `login.too_many`, without having made it; whatever `make` throws.
	 */
	async run<T>(attempt: Attempt, make: (count: AttemptCount) => Promise<T>): Promise<T> {
		const { db, clock, passwords } = this.#deps;
		const { tenantId, name, account, ip } = attempt;
		// A rush must not cost a commit for each who is turned away.
		passwords.checkRoom();
		const key = `${tenantId} ${name} ${ip}`;
		let failures = 0;
		const reserve = (): Promise<Reservation> =>
			db.transaction(async ({ loginFailures }) => {
				const now = clock();
				const refusal = await loginFailures.reserve(tenantId, name, ip, now);
				if (refusal === undefined) failures = await loginFailures.count(tenantId, account, now);
				return refusal;
			});
		const outcome = await this.#gate.run(
			key,
			() => this.#reserved(key, reserve),
			() => this.#make(attempt, () => make({ failures, locked: failures > FAILURES_BEFORE_LOCK })),
		);
		// It was right, and `make` has cleared what was counted.
		if ("result" in outcome) this.#counted.delete(key);
		if ("refusal" in outcome) throw tooMany(outcome.refusal.blockedUntilMs - clock());
		return outcome.result;
	}

	/**
	 * The attempts that were counted just now may be another node's and right, so a refusal they make is looked at again for a
	 * moment. This process' own are waited for by the gate.
	 */
	async #reserved(key: string, reserve: () => Promise<Reservation>): Promise<Reservation> {
		for (let look = 1; ; look++) {
			const refusal = await reserve();
			const own = this.#counted.find(key) ?? 0;
			if (refusal === undefined) this.#counted.set(key, own + 1);
			if (refusal === undefined || refusal.failures <= own || look >= LOOKS) return refusal;
			if (this.#deps.clock() - refusal.sinceMs > LOOKS * LOOK_AGAIN_MS) return refusal;
			await setTimeout(LOOK_AGAIN_MS);
		}
	}

	async #make<T>({ tenantId, name, account, ip }: Attempt, make: () => Promise<T>): Promise<T> {
		try {
			return await make();
		} catch (error) {
			const wasLookedAt = error instanceof AppError && error.kind !== "unavailable";
			if (!wasLookedAt) await this.#takeBack(tenantId, name, account, ip).catch(() => undefined);
			throw error;
		}
	}

	#takeBack(tenantId: string, name: string, account: string, ip: string): Promise<void> {
		return this.#deps.db.transaction(async ({ loginFailures }) => {
			await loginFailures.release(tenantId, name, ip);
			await loginFailures.release(tenantId, account, ANY_ADDRESS);
		});
	}
}

/** A 429 with the headers the contract wants of each. */
export function tooMany(waitMs: number): AppError {
	const seconds = Math.max(1, Math.ceil(waitMs / SECOND_MS));
	return new AppError("login.too_many", `too many failed sign-ins, try again in ${seconds} s`, {
		retryAfterSeconds: seconds,
		headers: {
			"ratelimit-limit": String(FAILURES_BEFORE_DELAY),
			"ratelimit-remaining": "0",
			"ratelimit-reset": String(seconds),
		},
	});
}
