// Selects the period of the charts.

import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { isoDay, PERIODS, periodKeyOf } from "../statistics/period.ts";
import type { Activity } from "./use-activity.ts";

const WEEK_MS = 7 * 86_400_000;

export function PeriodChoice({ state: { values, set }, period }: Pick<Activity, "state" | "period">) {
	const { overview: t, statistics } = useWords("console");
	const key = periodKeyOf(values);
	const today = isoDay(Date.now());
	return (
		<div class="lk-overview__period">
			<Select
				name="range"
				label={statistics.range}
				hideLabel
				value={key}
				onValue={(value) => set("range", value)}
				options={PERIODS.map((value) => ({ value, label: statistics.ranges[value] }))}
			/>
			{key === "dates" && (
				<>
					<TextInput
						name="from"
						type="date"
						label={t.from}
						max={today}
						value={values.from ?? isoDay(Date.now() - WEEK_MS)}
						onValue={(value) => set("from", value)}
					/>
					<TextInput
						name="to"
						type="date"
						label={t.to}
						max={today}
						value={values.to ?? today}
						onValue={(value) => set("to", value)}
					/>
				</>
			)}
			{period.bar === "utcDay" && <span class="lk-muted">{t.utc}</span>}
		</div>
	);
}
