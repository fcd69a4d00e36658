// Notices that the clock of this machine was set back.

import type { HealthCheck } from "../domain/health-check.ts";
import { type Clock, isoTime, SECOND_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

/** Smaller steps are corrections of the time synchronization. */
const TOLERATED_MS = 2 * SECOND_MS;

/**
 * @param lastMs a time that has passed, such as that of the last commit.
 * @returns a job that logs each step back, and a health check that fails until the clock has caught up.
 */
export function createClockWatch(
	{ clock, log }: { readonly clock: Clock; readonly log: Log },
	lastMs: number,
) {
	let greatestMs = lastMs;
	let isReported = false;
	const isBack = (): boolean => clock() < greatestMs - TOLERATED_MS;
	const healthCheck: HealthCheck = {
		name: "clock",
		required: false,
		async check() {
			if (isBack()) throw new Error("the clock was set back");
		},
	};
	return {
		healthCheck,
		job: {
			name: "watch-clock",
			everyMs: 5 * SECOND_MS,
			async run() {
				const isNowBack = isBack();
				if (isNowBack && !isReported)
					log.warn(
						{},
						`the clock was set back: it was ${isoTime(greatestMs)} before, and is ${isoTime(clock())}`,
					);
				isReported = isNowBack;
				greatestMs = Math.max(greatestMs, clock());
			},
		},
	};
}
