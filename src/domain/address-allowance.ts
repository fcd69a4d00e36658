// Limits per client IP address, across all tenants and nodes, such as how many mails its requests may cause.

import { type Clock, HOUR_MS, secondsUntil } from "../kernel/clock.ts";
import { tooMany } from "../kernel/error.ts";
import { rateLimitKey } from "../kernel/ip.ts";

/**
 * `mail`: requests that cause mail. `password`: wrong passwords and codes at sign-in. `program`, `person`: requests of
 * one user for programs and for roles. `factor_help`: of one user for help with the second factors. The key of the last
 * three is the id of the user.
 */
export type AllowanceKind = "mail" | "password" | "program" | "person" | "factor_help";

/** `count` may be taken at once; one is restored every `windowMs / count`. */
export interface Allowance {
	readonly kind: AllowanceKind;
	/** At least 1. */
	readonly count: number;
	readonly windowMs: number;
}

/** `key` is the `rateLimitKey` of the address. */
export interface AddressAllowanceStore {
	/**
	 * Takes one in one statement, if any are left.
	 *
	 * @returns undefined, or when the next one is restored.
	 */
	take(allowance: Allowance, key: string, nowMs: number): Promise<number | undefined>;
	/** Returns one that was taken but not used. */
	giveBack(allowance: Allowance, key: string, nowMs: number): Promise<void>;
	/** Deletes fully restored allowances, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

/**
 * Call first in the transaction that writes the mail. IPv6 addresses count by /64. The result depends only on the IP
 * address of the request, never on the recipient.
 *
 * @param limit `mailsPerHour` 0 means no limit.
 * @throws AppError `mail.too_many`.
 */
export async function takeMailAllowance(
	allowances: AddressAllowanceStore,
	{ clock, mailsPerHour }: { readonly clock: Clock; readonly mailsPerHour: number },
	ip: string,
): Promise<void> {
	if (mailsPerHour === 0) return;
	const now = clock();
	const allowance = { kind: "mail", count: mailsPerHour, windowMs: HOUR_MS } as const;
	const nextMs = await allowances.take(allowance, rateLimitKey(ip), now);
	if (nextMs === undefined) return;
	const seconds = secondsUntil(nextMs, now);
	throw tooMany("mail.too_many", "too many mails requested from your IP address", {
		limit: mailsPerHour,
		seconds,
	});
}
