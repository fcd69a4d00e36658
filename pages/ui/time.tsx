// A time in the page's language and the browser's time zone, with the exact time as tooltip.

import { useEffect, useState } from "preact/hooks";
import { regionalTag } from "../region.ts";
import "./time.css";

interface TimeProps {
	/** ISO 8601. */
	readonly at: string | null;
	/** Shown, muted, if `at` is null. */
	readonly none?: string | undefined;
	/** Default: relative ("3 hours ago"), updated continuously. */
	readonly format?: "relative" | "date" | "datetime" | "time" | undefined;
}

const UNITS = [
	["year", 31_557_600],
	["month", 2_629_800],
	["week", 604_800],
	/** "26 hours ago" is more precise than "yesterday". */
	["day", 172_800, 86_400],
	["hour", 3_600],
	["minute", 60],
] as const;
const REFRESH_MS = 30_000;
const CLOCKS_APART_S = 300;

export function Time({ at, none, format = "relative" }: TimeProps) {
	const [now, setNow] = useState(Date.now());
	useEffect(() => {
		if (format !== "relative") return;
		const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
		return () => clearInterval(timer);
	}, [format]);
	if (at === null) return <span class="lk-muted">{none}</span>;
	const date = new Date(at);
	const language = regionalTag(document.documentElement.lang || "en");
	return (
		<time class="lk-time" dateTime={at} title={exact(date, language)}>
			{format === "relative" ? relative(date, now, language) : absolute(date, format, language)}
		</time>
	);
}

/** Under a minute: "now", and for a clock that is behind the service's up to five minutes. */
export function relative(date: Date, now: number, language: string): string {
	const difference = (date.getTime() - now) / 1_000;
	const seconds = difference > 0 && difference < CLOCKS_APART_S ? 0 : difference;
	const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
	for (const [unit, from, length = from] of UNITS)
		if (Math.abs(seconds) >= from) return spaced(words.format(Math.trunc(seconds / length), unit));
	return words.format(0, "second");
}

/** Chinese as on the rest of the pages: 3 天前. */
function spaced(text: string): string {
	return text.replace(/(\d)(?=\p{Script=Han})/u, "$1 ");
}

function exact(date: Date, language: string): string {
	return new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" }).format(date);
}

function absolute(date: Date, format: "date" | "datetime" | "time", language: string): string {
	return new Intl.DateTimeFormat(language, {
		...(format === "time" ? {} : { dateStyle: "medium" }),
		...(format === "date" ? {} : { timeStyle: "short" }),
	}).format(date);
}
