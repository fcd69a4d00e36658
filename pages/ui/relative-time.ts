// The words for a time: relative to now in the past, or the time itself.

const UNITS = [
	["year", 31_557_600],
	["month", 2_629_800],
	["week", 604_800],
	/** "26 hours ago" is more precise than "yesterday". */
	["day", 172_800, 86_400],
	["hour", 3_600],
	["minute", 60],
] as const;
const CLOCKS_APART_S = 300;

/** Under a minute: "now", and for a clock that is behind the service's up to five minutes. Later, the time itself. */
export function relative(date: Date, now: number, language: string): string {
	const difference = (date.getTime() - now) / 1_000;
	if (difference >= CLOCKS_APART_S) return absolute(date, "datetime", language);
	const seconds = Math.min(difference, 0);
	const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
	for (const [unit, from, length = from] of UNITS)
		if (Math.abs(seconds) >= from) return spaced(words.format(Math.trunc(seconds / length), unit));
	return words.format(0, "second");
}

/** Chinese as on the rest of the pages: 3 天前. */
function spaced(text: string): string {
	return text.replace(/(\d)(?=\p{Script=Han})/u, "$1 ");
}

export function absolute(date: Date, format: "date" | "datetime" | "time", language: string): string {
	return new Intl.DateTimeFormat(language, {
		...(format === "time" ? {} : { dateStyle: "medium" }),
		...(format === "date" ? {} : { timeStyle: "short" }),
	}).format(date);
}
