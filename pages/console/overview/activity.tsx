// Sign-ins and signed calls over a period, with refusals by reason.

import { call } from "../../api/client.ts";
import { useListState } from "../../api/list-state.ts";
import { useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { BarChart } from "../../ui/bar-chart.tsx";
import { Card } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { DEFAULT_PERIOD, periodOf } from "./period.ts";
import { PeriodChoice } from "./period-choice.tsx";

type Step = Schemas["StatisticsStep"];
const REASONS_MAX = 4;

export function Activity() {
	const t = useWords("console").overview;
	const state = useListState({ filters: ["range", "from", "to"], defaults: { range: DEFAULT_PERIOD } });
	const { from, to, step } = periodOf(state.settled);
	const { data, error, isLoading, reload } = useQuery(`GET /stats ${from} ${to} ${step}`, (signal) =>
		call("GET /stats", { query: { from, to, step }, signal }),
	);
	const steps = data?.data.steps;
	const unit = data?.data.step ?? step;
	return (
		<>
			<PeriodChoice state={state} />
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{error === undefined && (
				<div class="lk-overview__charts" aria-busy={isLoading ? "true" : undefined}>
					<Chart
						title={t.signIns}
						goodLabel={t.succeeded}
						steps={steps}
						unit={unit}
						good={(one) => one.sign_ins}
						refused={(one) => one.refused_sign_ins}
					/>
					<Chart
						title={t.calls}
						goodLabel={t.answered}
						steps={steps}
						unit={unit}
						good={(one) => one.signed_calls}
						refused={(one) => one.refused_calls}
					/>
				</div>
			)}
		</>
	);
}

interface ChartOptions {
	readonly title: string;
	readonly goodLabel: string;
	readonly steps: readonly Step[] | undefined;
	readonly unit: "hour" | "day";
	readonly good: (step: Step) => number;
	readonly refused: (step: Step) => Readonly<Record<string, number>>;
}

function Chart({ title, goodLabel, steps, unit, good, refused }: ChartOptions) {
	const t = useWords("console").overview;
	if (steps === undefined)
		return (
			<Card>
				<Skeleton height="18rem" />
			</Card>
		);
	return (
		<Card footer={<Reasons counts={steps.map(refused)} />}>
			<BarChart
				title={title}
				labels={steps.map(({ at }) => (unit === "hour" ? format.weekdayTime(at) : format.utcDay(at)))}
				labelHeader={unit === "hour" ? t.hour : t.day}
				series={[
					{ key: "good", label: goodLabel, tone: "accent", values: steps.map(good) },
					{
						key: "refused",
						label: t.refused,
						tone: "danger",
						values: steps.map((one) => sum(Object.values(refused(one)))),
					},
				]}
			/>
		</Card>
	);
}

function Reasons({ counts }: { readonly counts: readonly Readonly<Record<string, number>>[] }) {
	const t = useWords("console").overview;
	const totals = new Map<string, number>();
	for (const [code, count] of counts.flatMap((one) => Object.entries(one)))
		totals.set(code, (totals.get(code) ?? 0) + count);
	const sorted = [...totals].sort(([, a], [, b]) => b - a);
	if (sorted.length === 0) return <span class="lk-muted">{t.noneRefused}</span>;
	return (
		<>
			<span class="lk-muted">{t.reasons}</span>
			{sorted.slice(0, REASONS_MAX).map(([code, count]) => (
				<Badge key={code}>
					{code} · {format.number(count)}
				</Badge>
			))}
			{sorted.length > REASONS_MAX && <span class="lk-muted">{t.more(sorted.length - REASONS_MAX)}</span>}
		</>
	);
}

function sum(values: readonly number[]): number {
	return values.reduce((total, value) => total + value, 0);
}
