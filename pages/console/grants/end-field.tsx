// When access ends: never, after a day, a week or 30 days, or at the end of a day.

import { useState } from "preact/hooks";
import { Select } from "../../ui/select.tsx";
import { useWords } from "../../words/words.ts";
import { dayOf, endOf } from "../client-settings/client-settings.ts";
import { LastDayField } from "../client-settings/expiry-field.tsx";

const DAY_MS = 86_400_000;
const USUAL_DAYS = [1, 7, 30] as const;

interface EndFieldProps {
	/** A time; undefined for no end, or the present one. */
	readonly onValue: (end: string | undefined) => void;
}

export function EndField({ onValue }: EndFieldProps) {
	const t = useWords("console-access").grants;
	const [choice, setChoice] = useState("never");
	const [day, setDay] = useState("");
	const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
	const setLastDay = (chosen: string) => {
		setDay(chosen);
		onValue(endOf(chosen) ?? undefined);
	};
	const choose = (next: string) => {
		setChoice(next);
		if (next === "never") onValue(undefined);
		else if (next === "day") setLastDay(day || dayOf(inDays(30)));
		else onValue(inDays(Number(next)));
	};
	return (
		<>
			<Select
				name={choice === "day" ? "ends" : "expires_at"}
				label={t.end}
				value={choice}
				onValue={choose}
				options={[
					{ value: "never", label: t.noEnd },
					...USUAL_DAYS.map((days) => ({ value: String(days), label: t.endsAfter(days) })),
					{ value: "day", label: t.onDay },
				]}
			/>
			{choice === "day" && <LastDayField label={t.lastDay} value={day} onValue={setLastDay} />}
		</>
	);
}
