// The number of mails that requests from one IP address may cause.

import { type Clock, HOUR_MS, secondsUntil } from "../kernel/clock.ts";
import { tooMany } from "../kernel/error.ts";
import { rateLimitKey } from "../kernel/ip.ts";
import type { AddressAllowanceStore } from "./address-allowance.ts";

export interface MailLimit {
	readonly clock: Clock;
	/** 0: no limit. */
	readonly mailsPerHour: number;
}

/**
 * Call first in the transaction that writes the mail. IPv6 addresses count by /64, across all tenants. The outcome
 * depends only on the IP address of the request, never on the recipient.
 *
 * @throws AppError `mail.too_many`.
 */
export async function takeMailAllowance(
	allowances: AddressAllowanceStore,
	{ clock, mailsPerHour }: MailLimit,
	ip: string,
): Promise<void> {
	if (mailsPerHour === 0) return;
	const now = clock();
	const allowance = { kind: "mail", count: mailsPerHour, windowMs: HOUR_MS } as const;
	const nextMs = await allowances.take(allowance, rateLimitKey(ip), now);
	if (nextMs === undefined) return;
	const seconds = secondsUntil(nextMs, now);
	throw tooMany("mail.too_many", "too many mails asked for from your address", {
		limit: mailsPerHour,
		seconds,
	});
}
