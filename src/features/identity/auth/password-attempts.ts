// Counts each attempt before verifying its password. After too many failures, a name or an IP address has to wait.

import type { PasswordHasher } from "../../../crypto/password.ts";
import {
	ADDRESS_FAILURES,
	ANY_ADDRESS,
	type Attempt,
	type AttemptCount,
	FAILURES_BEFORE_DELAY,
	FAILURES_BEFORE_LOCK,
	LONGEST_DELAY_SECONDS,
	type PasswordAttemptCounter,
	type RecordRefusal,
} from "../../../domain/sign-in-attempt.ts";
import { SECOND_MS, secondsUntil } from "../../../kernel/clock.ts";
import { AppError, tooMany } from "../../../kernel/error.ts";
import { rateLimitKey } from "../../../kernel/ip.ts";
import type { Needs } from "../../platform.ts";
import { type AttemptCounting, AttemptLimit, LOOKING_MS } from "./attempt-limit.ts";

/** So that failures of minutes ago, which another node may have cleared, say nothing about concurrent attempts. */
const NAME_FORGOTTEN_MS = (LONGEST_DELAY_SECONDS * SECOND_MS) / FAILURES_BEFORE_DELAY;

type Needed = Needs<"loginFailures" | "allowances" | "refusalNotes" | "audit", "clock"> & {
	readonly passwords: Pick<PasswordHasher, "checkRoom">;
};

/** Create one per process: it makes concurrent attempts wait for each other. */
export class PasswordAttempts implements PasswordAttemptCounter {
	readonly #needs: Needed;
	readonly #names: AttemptLimit;
	readonly #addresses: AttemptLimit;

	/** @param wait the timer. Default: the real one. */
	constructor(needs: Needed, wait?: (ms: number) => Promise<unknown>) {
		const { clock } = needs;
		this.#needs = needs;
		this.#names = new AttemptLimit({ clock, wait, forgottenMs: NAME_FORGOTTEN_MS });
		const forgottenMs = ADDRESS_FAILURES.windowMs / ADDRESS_FAILURES.count;
		this.#addresses = new AttemptLimit({ clock, wait, forgottenMs });
	}

	async run<T>(
		attempt: Attempt,
		verify: (count: AttemptCount) => Promise<T>,
		appendRefusal?: RecordRefusal,
	): Promise<T> {
		// Before any write: a refusal by the full queue must not cost a commit.
		this.#needs.passwords.checkRoom(addressOf(attempt));
		const outcome = await this.#verify(attempt, verify);
		if ("result" in outcome) return outcome.result;
		if (appendRefusal !== undefined)
			await recordRefusal(this.#needs, attempt, outcome.refusal, appendRefusal);
		throw tooManyAttempts(outcome.refusal, this.#needs.clock());
	}

	/** Counts the attempt against the IP address, then against the name. */
	async #verify<T>(
		attempt: Attempt,
		verify: (count: AttemptCount) => Promise<T>,
	): Promise<{ readonly result: T } | { readonly refusal: AttemptRefusal }> {
		await using address = await this.#addresses.reserve(addressOf(attempt), this.#byAddress(attempt));
		if (address.blocked !== undefined)
			return { refusal: { limit: "address", blockedUntilMs: address.blocked.untilMs } };
		const counted = { failures: 0 };
		const key = `${attempt.tenantId} ${attempt.name} ${attempt.ip}`;
		await using name = await this.#names.reserve(key, this.#byName(attempt, counted));
		if (name.blocked !== undefined)
			return { refusal: { limit: "name", blockedUntilMs: name.blocked.untilMs } };
		const { failures } = counted;
		try {
			const result = await verify({ failures, locked: failures > FAILURES_BEFORE_LOCK });
			// `verify` has already cleared the stored counts of the name.
			name.outcome = "cleared";
			return { result };
		} catch (error) {
			if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
			name.outcome = "kept";
			// Only a correct password reveals `forbidden`.
			if (error.kind !== "forbidden") address.outcome = "kept";
			throw error;
		}
	}

	/** Failures of an IP address across all names. */
	#byAddress(attempt: Attempt): AttemptCounting {
		const { db, clock } = this.#needs;
		const address = addressOf(attempt);
		return {
			count: () =>
				db.transaction(async ({ allowances }) => {
					const untilMs = await allowances.take(ADDRESS_FAILURES, address, clock());
					return untilMs === undefined ? undefined : { untilMs, underWay: ADDRESS_FAILURES.count };
				}),
			release: () =>
				db.transaction(({ allowances }) => allowances.giveBack(ADDRESS_FAILURES, address, clock())),
		};
	}

	/** Sets `counted.failures`, those of the account across all IP addresses. */
	#byName({ tenantId, name, account, ip }: Attempt, counted: { failures: number }): AttemptCounting {
		const { db, clock } = this.#needs;
		return {
			count: () =>
				db.transaction(async ({ loginFailures }) => {
					const now = clock();
					const refused = await loginFailures.reserve(tenantId, name, ip, now);
					if (refused === undefined) {
						counted.failures = await loginFailures.count(tenantId, account, now);
						return undefined;
					}
					const isRecent = now - refused.sinceMs <= LOOKING_MS;
					return { untilMs: refused.blockedUntilMs, underWay: isRecent ? refused.failures : 0 };
				}),
			release: () =>
				db.transaction(async ({ loginFailures }) => {
					await loginFailures.release(tenantId, name, ip);
					await loginFailures.release(tenantId, account, ANY_ADDRESS);
				}),
		};
	}
}

function addressOf({ address, ip }: Attempt): string {
	return rateLimitKey(address ?? ip);
}

interface AttemptRefusal {
	/** `address`: failures of the client's IP address across all names. */
	readonly limit: "name" | "address";
	readonly blockedUntilMs: number;
}

/**
 * Records one refusal while a name is blocked, and one per IP address in `ADDRESS_FAILURES.windowMs`. Refused attempts
 * are cheap for the sender, so they must not add a row each.
 */
async function recordRefusal(
	{ db, clock }: Needed,
	{ tenantId, name, ip, address = ip }: Attempt,
	{ limit, blockedUntilMs }: AttemptRefusal,
	append: RecordRefusal,
): Promise<void> {
	const now = clock();
	const isName = limit === "name";
	const note = isName ? { tenantId, subject: name, ip } : { tenantId, subject: "", ip: address };
	const untilMs = isName ? blockedUntilMs : now + ADDRESS_FAILURES.windowMs;
	const wait = secondsUntil(blockedUntilMs, now);
	const why = { reason: "login.too_many", limit, wait_seconds: wait };
	await db.transaction(async ({ refusalNotes, audit }) => {
		if (await refusalNotes.note(note, untilMs, now)) await append(audit, why);
	});
}

function tooManyAttempts({ limit, blockedUntilMs }: AttemptRefusal, nowMs: number): AppError {
	const isName = limit === "name";
	return tooMany("login.too_many", `too many failed sign-ins${isName ? "" : " from your address"}`, {
		limit: isName ? FAILURES_BEFORE_DELAY : ADDRESS_FAILURES.count,
		seconds: secondsUntil(blockedUntilMs, nowMs),
	});
}
