// The times that the strip above the audit trail shows for a period of the filters, and its bars.

import { isoDay, localDay, type Period, period, rangeIn, type TimeRange } from "../statistics/period.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Without a start, the strip shows this many days. */
const DAYS_SHOWN = 30;
/** Longer periods show a bar per day. */
const HOURLY_MAX_MS = 3 * DAY_MS;
/** What the API returns at most. */
const HOURS_MAX = 744;
const DAYS_MAX = 366;

export interface Strip extends Period {
	/** The period of the filters, within the strip; undefined if it is the whole strip. */
	readonly chosen: TimeRange | undefined;
	/** A longer period that contains it; undefined if there is no longer one, `any` for all times. */
	readonly wider: TimeRange | "any" | undefined;
}

export interface Counted {
	readonly at: string;
	readonly events: number;
}

/** Hours of the days around a period of less than a day; otherwise hours, local days, or for long periods days in UTC. */
export function stripOf({ from, to }: TimeRange, now: number = Date.now()): Strip {
	const asked = Date.parse(to) || undefined;
	const until = Math.min(asked ?? now, dayStart(now, 1));
	const since = Date.parse(from) || undefined;
	if (since === undefined || since >= until) {
		const days = daysOf(dayStart(until, 1 - DAYS_SHOWN), until);
		return { ...days, chosen: undefined, wider: to === "" ? undefined : "any" };
	}
	if (until - since >= DAY_MS) {
		const isHourly = until - since <= HOURLY_MAX_MS;
		const shown = isHourly ? hoursOf(since, until) : daysOf(since, until);
		return { ...shown, chosen: undefined, wider: "any" };
	}
	const [start, end] = [dayStart(since), dayStart(until - 1, 1)];
	// In the first hour of a day, the bar of this hour ends after now, like the day itself.
	const isWhole = since === start && (asked === undefined || until === end);
	return {
		...hoursOf(start, end),
		chosen: isWhole ? undefined : rangeIn(since, until),
		wider: isWhole ? "any" : rangeIn(start, end),
	};
}

/** The number of events of each bar, by the hours or days that the API counted; those to come have none. */
export function barsOf({ from, to, bar }: Period, steps: readonly Counted[]): readonly Counted[] {
	if (bar === "utcDay") return steps;
	const startOf = (ms: number) => (bar === "hour" ? ms : dayStart(ms));
	const bars = new Map<number, number>();
	for (let ms = Date.parse(from); ms < Date.parse(to); ms += HOUR_MS) bars.set(startOf(ms), 0);
	for (const { at, events } of steps) {
		const start = startOf(Date.parse(at));
		bars.set(start, (bars.get(start) ?? 0) + events);
	}
	return [...bars].map(([ms, events]) => ({ at: new Date(ms).toISOString(), events }));
}

function hoursOf(from: number, to: number): Period {
	return period(Math.floor(from / HOUR_MS) * HOUR_MS, Math.ceil(to / HOUR_MS) * HOUR_MS, "hour", "hour");
}

/** Local days if the API can return their hours. */
function daysOf(from: number, to: number): Period {
	const [start, end] = [dayStart(from), dayStart(to - 1, 1)];
	if ((end - start) / HOUR_MS <= HOURS_MAX) return period(start, end, "hour", "day");
	const utcEnd = Math.ceil(to / DAY_MS) * DAY_MS;
	const utcStart = Math.floor(from / DAY_MS) * DAY_MS;
	return period(Math.max(utcStart, utcEnd - DAYS_MAX * DAY_MS), utcEnd, "day", "utcDay");
}

function dayStart(ms: number, later = 0): number {
	return localDay(isoDay(ms), later);
}
