// Times in options of commands.

import { usageError } from "../kernel/start-error.ts";

const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Parses a time in the past: ISO 8601 with a zone, or a day (UTC).
 *
 * @throws StartError (`usage`) that names the option.
 */
export function parsePastTime(option: string, text: string, nowMs: number): number {
	const ms = TIME.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
	if (Number.isNaN(ms))
		throw usageError(`${option} ${text} must be a day or a time with a zone, e.g. 2026-01-01`);
	if (ms > nowMs) throw usageError(`${option} ${text} is in the future`);
	return ms;
}

/** Refuses days that do not exist: `Date.parse` reads February 31 as a day in March. */
function isDay(day: string): boolean {
	const ms = Date.parse(day);
	return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
