// When a delivery its receiver did not take is tried again.

import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../kernel/clock.ts";

/** After the first, second … attempt; then every six hours until it is given up. */
const DELAYS_MS = [
	5 * SECOND_MS,
	30 * SECOND_MS,
	2 * MINUTE_MS,
	10 * MINUTE_MS,
	30 * MINUTE_MS,
	HOUR_MS,
	2 * HOUR_MS,
	4 * HOUR_MS,
] as const;
const LONGEST_DELAY_MS = 6 * HOUR_MS;

/**
 * When to try again after the `roundAttempts`th attempt (from 1), each less up to a quarter by chance so that what
 * failed together does not come back together; a receiver that asks for more time (`retryAfterSeconds`) gets it, up to
 * six hours. Never after `giveUpAtMs`: the last attempt is made then. Undefined when that time is over.
 *
 * @param random gives 0 ≤ x < 1
 */
export function nextAttemptAtMs(
	{ roundAttempts, giveUpAtMs }: { readonly roundAttempts: number; readonly giveUpAtMs: number },
	nowMs: number,
	retryAfterSeconds: number | undefined,
	random: () => number,
): number | undefined {
	if (nowMs >= giveUpAtMs) return undefined;
	const delayMs = (DELAYS_MS[roundAttempts - 1] ?? LONGEST_DELAY_MS) * (1 - random() / 4);
	const askedMs = Math.min((retryAfterSeconds ?? 0) * SECOND_MS, LONGEST_DELAY_MS);
	return Math.min(nowMs + Math.round(Math.max(delayMs, askedMs)), giveUpAtMs);
}
