// The period of the charts, from the URL.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer periods are counted by the day. */
const HOURLY_MAX_MS = 3 * DAY_MS;

export const PERIODS = ["24h", "7d", "30d", "90d", "dates"] as const;
type PeriodKey = (typeof PERIODS)[number];
export const DEFAULT_PERIOD: PeriodKey = "30d";

const LENGTHS = { "24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS, "90d": 90 * DAY_MS } as const;

export interface Period {
	readonly from: string;
	readonly to: string;
	readonly step: "hour" | "day";
}

export function periodKeyOf(values: Readonly<Record<string, string>>): PeriodKey {
	return PERIODS.find((key) => key === values.range) ?? DEFAULT_PERIOD;
}

/** The days `from` and `to` in the URL, inclusive, or a period up to now, including the current step. */
export function periodOf(values: Readonly<Record<string, string>>, now: number = Date.now()): Period {
	const key = periodKeyOf(values);
	if (key === "dates") {
		const from = dayOf(values.from) ?? dayStart(now - LENGTHS["7d"]);
		const to = dayOf(values.to) ?? dayStart(now);
		const [first, last] = from <= to ? [from, to] : [to, from];
		return period(first, last + DAY_MS, last + DAY_MS - first <= HOURLY_MAX_MS ? "hour" : "day");
	}
	const length = LENGTHS[key];
	if (key !== "24h") return period(dayStart(now) + DAY_MS - length, dayStart(now) + DAY_MS, "day");
	const end = Math.ceil((now + 1) / HOUR_MS) * HOUR_MS;
	return period(end - length, end, "hour");
}

/** In the format of a date field. */
export function isoDay(ms: number): string {
	return new Date(ms).toISOString().slice(0, 10);
}

function period(from: number, to: number, step: "hour" | "day"): Period {
	return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), step };
}

function dayStart(ms: number): number {
	return Math.floor(ms / DAY_MS) * DAY_MS;
}

function dayOf(text: string | undefined): number | undefined {
	const ms = /^\d{4}-\d\d-\d\d$/.test(text ?? "") ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
	return Number.isNaN(ms) ? undefined : ms;
}
