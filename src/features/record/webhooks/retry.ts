// The retry schedule of webhook deliveries.

import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../kernel/clock.ts";

/** After the first, second … attempt; then every six hours until the last attempt. */
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
 * Returns the time of the next attempt after the `roundAttempts`th (from 1): the scheduled delay minus up to a quarter at
 * random, so that deliveries that failed together are not retried together, or `retryAfterSeconds` if that is longer (at
 * most six hours). Never after `giveUpAtMs`, the time of the last attempt; undefined when it has passed.
 *
 * @param random returns 0 ≤ x < 1
 */
export function nextAttemptAtMs(
	{ roundAttempts, giveUpAtMs }: { readonly roundAttempts: number; readonly giveUpAtMs: number },
	nowMs: number,
	retryAfterSeconds: number | undefined,
	random: () => number,
): number | undefined {
	if (nowMs >= giveUpAtMs) return undefined;
	const delayMs = (DELAYS_MS[roundAttempts - 1] ?? LONGEST_DELAY_MS) * (1 - random() / 4);
	const retryAfterMs = Math.min((retryAfterSeconds ?? 0) * SECOND_MS, LONGEST_DELAY_MS);
	return Math.min(nowMs + Math.round(Math.max(delayMs, retryAfterMs)), giveUpAtMs);
}
