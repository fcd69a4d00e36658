// A time in the page's language and the browser's time zone, with the exact time as tooltip.

import { useEffect, useState } from "preact/hooks";
import { regionalTag } from "../region.ts";
import { absolute, relative } from "./relative-time.ts";
import "./time.css";

interface TimeProps {
	/** ISO 8601. */
	readonly at: string | null;
	/** Shown, muted, if `at` is null. */
	readonly none?: string | undefined;
	/** Default: relative ("3 hours ago"), updated continuously. */
	readonly format?: "relative" | "date" | "datetime" | "time" | undefined;
}

const REFRESH_MS = 30_000;

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

function exact(date: Date, language: string): string {
	return new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "long" }).format(date);
}
