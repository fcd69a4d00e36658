// How many events the filters find, by hour or day: a click shows only that time.

import { call } from "../../api/client.ts";
import type { ListState } from "../../api/list-state.ts";
import { useQuery, useRenewal } from "../../api/query.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { Button } from "../../ui/button.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { rangeOf, type TimeRange } from "../statistics/period.ts";
import { labelOf } from "../statistics/result-chart.tsx";
import { barsOf, stripOf } from "./strip-range.ts";

const RENEWED_MS = 120_000;

export function EventStrip({ state }: { readonly state: ListState }) {
	const t = useWords("console-audit");
	const { from = "", to = "", page: _, ...filters } = state.settled;
	const strip = stripOf({ from, to });
	const period = { from: strip.from, to: strip.to, step: strip.step };
	const query = useQuery(`GET /audit-events/stats ${JSON.stringify([period, filters])}`, (signal) =>
		call("GET /audit-events/stats", { query: { ...filters, ...period }, signal }),
	);
	useRenewal(query, RENEWED_MS);
	const { data, error, isLoading, reload } = query;
	const show = ({ from, to }: TimeRange) => {
		state.set("from", from);
		state.set("to", to);
	};
	if (error !== undefined)
		// The list below shows the error of a filter.
		return error.details.length > 0 ? null : <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton height="9rem" />;
	const bars = barsOf(strip, data.data.steps);
	const { chosen, wider } = strip;
	const isIn = (at: string) =>
		chosen === undefined || (rangeOf(at, strip.bar).to > chosen.from && at < chosen.to);
	const title = strip.bar === "hour" ? t.perHour : t.perDay;
	return (
		<div class="lk-audit-strip" aria-busy={isLoading ? "true" : undefined}>
			{wider !== undefined && (
				<Button
					variant="quiet"
					size="small"
					onClick={() => show(wider === "any" ? { from: "", to: "" } : wider)}
				>
					{wider === "any" ? t.anyTime : t.wholeDay}
				</Button>
			)}
			<BarChart
				title={title}
				isStrip
				labels={bars.map(({ at }) => labelOf({ at }, strip.bar))}
				labelHeader={strip.bar === "hour" ? t.hour : t.day}
				series={[{ key: "events", label: t.events, values: bars.map(({ events }) => events) }]}
				isChosen={(at) => isIn(bars[at]?.at ?? "")}
				onChoose={(at) => show(rangeOf(bars[at]?.at ?? strip.from, strip.bar))}
			/>
			{data.data.counted_from > data.data.from && (
				<p class="lk-muted">{t.countedFrom(format.dateTime(data.data.counted_from))}</p>
			)}
		</div>
	);
}
