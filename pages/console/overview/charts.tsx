// The charts of the overview, with refusals by reason.

import { Card } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import type { Period } from "../statistics/period.ts";
import { type HrefOf, Reasons, ResultChart } from "../statistics/result-chart.tsx";
import { type ResultStep, refusedOf } from "../statistics/result-steps.ts";
import { type Activity, callsOf, refusedCallList, signInList, signInsOf } from "./use-activity.ts";

export function Charts({ period, query, steps }: Activity) {
	const t = useWords("console").overview;
	if (query.error !== undefined) return null;
	return (
		<div class="lk-overview__charts" aria-busy={query.isLoading ? "true" : undefined}>
			<Chart
				title={t.signIns}
				okLabel={t.succeeded}
				steps={steps?.map(signInsOf)}
				period={period}
				hrefOf={signInList}
			/>
			<Chart
				title={t.calls}
				okLabel={t.answered}
				steps={steps?.map(callsOf)}
				period={period}
				hrefOf={refusedCallList}
			/>
		</div>
	);
}

interface ChartProps {
	readonly period: Period;
	readonly title: string;
	readonly okLabel: string;
	readonly steps: readonly ResultStep[] | undefined;
	readonly hrefOf: HrefOf;
}

function Chart({ steps, period, ...chart }: ChartProps) {
	const t = useWords("console").overview;
	if (steps === undefined)
		return (
			<Card>
				<Skeleton height="18rem" />
			</Card>
		);
	const hasAny = steps.some((step) => step.ok + refusedOf(step) > 0);
	return (
		<Card footer={hasAny ? <Reasons steps={steps} period={period} hrefOf={chart.hrefOf} /> : undefined}>
			<ResultChart {...chart} bar={period.bar} refusedLabel={t.refused} steps={steps} />
		</Card>
	);
}
