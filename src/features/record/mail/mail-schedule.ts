// When a refused mail is retried, and when its content expires.

import type { OutboxMail } from "../../../domain/mail.ts";
import { HOUR_MS, MINUTE_MS } from "../../../kernel/clock.ts";

/** When the code, link or client of the mail expires, in milliseconds; undefined for mails that never expire. */
export function mailExpiryMs({ message, createdAtMs }: OutboxMail): number | undefined {
	if ("expiresInMinutes" in message) return createdAtMs + message.expiresInMinutes * MINUTE_MS;
	if ("claimExpiresAt" in message) return Date.parse(message.claimExpiresAt);
	if ("expiresAt" in message) return Date.parse(message.expiresAt);
	return undefined;
}

const FIRST_DELAY_MS = MINUTE_MS;
const LONGEST_DELAY_MS = 6 * HOUR_MS;
/** 1, 2, 4 … 256 minutes, then every six hours: about three days in all. */
const ATTEMPTS_MAX = 20;

/**
 * Returns how long to wait after the `attempts`th refused attempt (from 1): doubling from one minute to six hours,
 * minus up to a quarter at random, so that mails refused together are not retried together. Undefined if there
 * is no further attempt.
 *
 * @param random gives 0 ≤ x < 1
 */
export function retryDelayMs(attempts: number, random: () => number): number | undefined {
	if (attempts >= ATTEMPTS_MAX) return undefined;
	const full = Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), LONGEST_DELAY_MS);
	return Math.round(full * (1 - random() / 4));
}
