// Compares the clock of this machine with the earliest plausible time, the newest record, and the clocks of the
// servers.

import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { isoTime, MINUTE_MS, SECOND_MS } from "../../kernel/clock.ts";

/** Earlier than any release. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const RECORD_SLACK_MS = 5 * MINUTE_MS;
/** The clocks of nodes may differ by a few seconds. */
const SERVER_SLACK_MS = 5 * SECOND_MS;

/** The time of a server, and the times of this machine just before and after it was read. */
export interface ServerTime {
	readonly server: string;
	readonly beforeMs: number;
	readonly atMs: number;
	readonly afterMs: number;
}

/** Signed requests and tokens depend on the clock. A clock that was set back is behind the newest record. */
export function examineClock(newestAtMs: number | null, nowMs: number): InstallationCheck {
	const now = isoTime(nowMs);
	if (nowMs < EARLIEST_MS) return check("clock.early", { now });
	if (newestAtMs !== null && newestAtMs > nowMs + RECORD_SLACK_MS)
		return check("clock.behind", { now, latest: isoTime(newestAtMs) });
	return check("clock.plausible", { now });
}

/** Undefined unless the clocks differ by more than the duration of the call and a few seconds. */
export function compareClock({ server, beforeMs, atMs, afterMs }: ServerTime): InstallationCheck | undefined {
	const differenceMs = Math.max(beforeMs - atMs, atMs - afterMs);
	if (differenceMs <= SERVER_SLACK_MS) return undefined;
	const seconds = Math.round(differenceMs / SECOND_MS);
	return check("clock.differs", { now: isoTime(afterMs), server, seconds });
}
