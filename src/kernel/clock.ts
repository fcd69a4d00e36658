// Time as a parameter, so that tests can set it.

/** Milliseconds since the Unix epoch. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The most that the clocks of two nodes differ: `latchkey doctor` fails above 5 s from the clock of the database. */
export const CLOCKS_APART_MS = 10 * SECOND_MS;

/** Whole seconds from `nowMs` until `atMs`, at least 1, for `Retry-After`. */
export function secondsUntil(atMs: number, nowMs: number): number {
	return Math.max(1, Math.ceil((atMs - nowMs) / SECOND_MS));
}

/** The wire form of a time: `2026-11-20T08:00:00.000Z`. */
export function isoTime(atMs: number): string {
	return new Date(atMs).toISOString();
}

export function isoTimeOrNull(atMs: number | null): string | null {
	return atMs === null ? null : isoTime(atMs);
}
