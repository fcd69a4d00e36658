// Progress of long commands on standard error, one line a second at most.

import { SECOND_MS, systemClock } from "../kernel/clock.ts";

/** @param sinceMs time of the last line; the first line is due a second later. Default: due at once. */
export function printEverySecond<Args extends readonly unknown[]>(
	describe: (...args: Args) => string,
	sinceMs = Number.NEGATIVE_INFINITY,
): (...args: Args) => void {
	let printedAtMs = sinceMs;
	return (...args) => {
		const now = systemClock();
		if (now - printedAtMs < SECOND_MS) return;
		printedAtMs = now;
		console.error(describe(...args));
	};
}
