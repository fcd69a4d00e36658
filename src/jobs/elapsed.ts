// The duration of one run, as log lines show it.

import { performance } from "node:perf_hooks";

/** Milliseconds since `startMs` (of `performance.now`), rounded to a tenth. */
export function elapsedMs(startMs: number): number {
	return Math.round((performance.now() - startMs) * 10) / 10;
}
