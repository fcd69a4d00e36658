// The duration of one run, for log lines.

import { performance } from "node:perf_hooks";

/** Milliseconds since `startMs` (of `performance.now`), rounded to a tenth. */
export function elapsedMs(startMs: number): number {
	return Math.round((performance.now() - startMs) * 10) / 10;
}
