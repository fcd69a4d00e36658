// Selects the period of the charts.

import type { ListState } from "../../api/list-state.ts";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { isoDay, PERIODS, periodKeyOf } from "../statistics/period.ts";

const WEEK_MS = 7 * 86_400_000;

interface PeriodChoiceProps {
	readonly state: ListState;
	/** Whether the days of the charts are days in UTC. */
	readonly isUtc: boolean;
}

export function PeriodChoice({ state: { values, set }, isUtc }: PeriodChoiceProps) {
	const { overview: t, statistics } = useWords("console");
	const key = periodKeyOf(values);
	const today = isoDay(Date.now());
	return (
		<div class="lk-overview__period">
			<h2>{t.activity}</h2>
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
			{isUtc && <span class="lk-muted">{t.utc}</span>}
		</div>
	);
}
