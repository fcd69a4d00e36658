// The period of a chart: what the API counts, and what one bar shows. Days are those of the browser while hours are kept.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer periods show a bar per day. */
const HOURLY_MAX_MS = 3 * DAY_MS;
/** The API keeps hours for 35 days and returns at most 744: 30 local days, one of them with 25 hours. */
const HOURS_KEPT_MS = 34 * DAY_MS;
const LOCAL_DAYS_MAX = 30;
const JOINED_MAX_MS = 30 * DAY_MS;

export const PERIODS = ["24h", "7d", "30d", "90d", "dates"] as const;
export const RECENT_PERIODS = ["24h", "7d", "30d"] as const;
type PeriodKey = (typeof PERIODS)[number];
export const DEFAULT_PERIOD = "7d";

const DAYS = { "7d": 7, "30d": 30, "90d": 90 } as const;

export interface TimeRange {
	readonly from: string;
	readonly to: string;
}

export interface Period extends TimeRange {
	/** What the API counts. */
	readonly step: "hour" | "day";
	/** What one bar shows. */
	readonly bar: "hour" | "day" | "utcDay";
}

export function periodKeyOf(values: Readonly<Record<string, string>>): PeriodKey {
	return PERIODS.find((key) => key === values.range) ?? DEFAULT_PERIOD;
}

/** The days `from` and `to` in the URL, inclusive, or a period up to now, including the current step. */
export function periodOf(values: Readonly<Record<string, string>>, now: number = Date.now()): Period {
	const key = periodKeyOf(values);
	if (key === "24h") {
		const end = Math.ceil((now + 1) / HOUR_MS) * HOUR_MS;
		return period(end - DAY_MS, end, "hour", "hour");
	}
	if (key !== "dates") return daysUpTo(isoDay(now), DAYS[key], now);
	const from = isDay(values.from) ? values.from : isoDay(localDay(isoDay(now), 1 - DAYS["7d"]));
	const to = isDay(values.to) ? values.to : isoDay(now);
	const [first, last] = from <= to ? [from, to] : [to, from];
	const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
	return daysUpTo(last, days, now);
}

/** The period directly before this one, of the same length; if this one is in progress, up to the same point. */
export function periodBefore({ from, to, bar }: Period, now: number = Date.now()): Period {
	const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
	const length = toMs - fromMs;
	const start = fromMs - length;
	// Whole hours, so that repeating the query finds it in memory.
	const end = Math.ceil((Math.min(toMs, now) - length) / HOUR_MS) * HOUR_MS;
	if (start >= now - HOURS_KEPT_MS) return period(start, end, "hour", bar);
	const day = (ms: number) => ms - (ms % DAY_MS);
	return period(day(start), Math.max(day(end), day(start) + DAY_MS), "day", "utcDay");
}

/** The range of both periods if one call can count it. */
export function joined(before: Period, current: Period): Period | undefined {
	const canJoin =
		before.step === current.step && Date.parse(current.to) - Date.parse(before.from) <= JOINED_MAX_MS;
	return canJoin ? { ...current, from: before.from } : undefined;
}

/** A local day in the format of a date field. */
export function isoDay(ms: number): string {
	const at = new Date(ms);
	const two = (value: number) => String(value).padStart(2, "0");
	return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function daysUpTo(last: string, days: number, now: number): Period {
	const [start, end] = [localDay(last, 1 - days), localDay(last, 1)];
	if (days <= LOCAL_DAYS_MAX && start >= now - HOURS_KEPT_MS)
		return period(start, end, "hour", end - start <= HOURLY_MAX_MS ? "hour" : "day");
	const utcEnd = Date.parse(last) + DAY_MS;
	return period(utcEnd - days * DAY_MS, utcEnd, "day", "utcDay");
}

/** When a local day begins, some days later; a day may have 23 or 25 hours. */
export function localDay(day: string, later: number): number {
	const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
	return new Date(year, month - 1, date + later).getTime();
}

/** The time of one bar. */
export function rangeOf(at: string, bar: Period["bar"]): TimeRange {
	const start = Date.parse(at);
	return rangeIn(
		start,
		bar === "hour" ? start + HOUR_MS : bar === "utcDay" ? start + DAY_MS : localDay(isoDay(start), 1),
	);
}

export function period(from: number, to: number, step: Period["step"], bar: Period["bar"]): Period {
	return { ...rangeIn(from, to), step, bar };
}

export function rangeIn(from: number, to: number): TimeRange {
	return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function isDay(text: string | undefined): text is string {
	return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}
