// The charts of the overview, with refusals by reason.

import { Card } from "../../ui/card.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import type { Period } from "../statistics/period.ts";
import { Reasons, ResultChart } from "../statistics/result-chart.tsx";
import { type ResultStep, refusedOf } from "../statistics/result-steps.ts";
import { type Activity, callsOf, listsOf, signInsOf } from "./use-activity.ts";

export function Charts({ period, query, steps }: Activity) {
	const t = useWords("console").overview;
	if (query.error !== undefined) return null;
	const links = listsOf(period);
	return (
		<div class="lk-overview__charts" aria-busy={query.isLoading ? "true" : undefined}>
			<Chart
				title={t.signIns}
				okLabel={t.succeeded}
				steps={steps?.map(signInsOf)}
				bar={period.bar}
				hrefOf={() => links.refusedSignIns}
			/>
			<Chart
				title={t.calls}
				okLabel={t.answered}
				steps={steps?.map(callsOf)}
				bar={period.bar}
				hrefOf={links.refusals}
			/>
		</div>
	);
}

interface ChartProps extends Pick<Period, "bar"> {
	readonly title: string;
	readonly okLabel: string;
	readonly steps: readonly ResultStep[] | undefined;
	/** The list of the refusals with a code. */
	readonly hrefOf: (code: string) => string;
}

function Chart({ steps, hrefOf, ...chart }: ChartProps) {
	const t = useWords("console").overview;
	if (steps === undefined)
		return (
			<Card>
				<Skeleton height="18rem" />
			</Card>
		);
	const hasAny = steps.some((step) => step.ok + refusedOf(step) > 0);
	return (
		<Card footer={hasAny ? <Reasons steps={steps} hrefOf={hrefOf} /> : undefined}>
			<ResultChart {...chart} refusedLabel={t.refused} steps={steps} />
		</Card>
	);
}
