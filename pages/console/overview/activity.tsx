// Sign-ins and signed calls over a period: four numbers, and charts with refusals by reason.

import { useLayoutEffect } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useListState } from "../../api/list-state.ts";
import { type Query, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import { DEFAULT_PERIOD, joined, type Period, periodBefore, periodOf } from "../statistics/period.ts";
import { Reasons, ResultChart } from "../statistics/result-chart.tsx";
import { type ResultStep, refusedOf } from "../statistics/result-steps.ts";
import { Numbers } from "./numbers.tsx";
import { PeriodChoice } from "./period-choice.tsx";

type Step = Schemas["StatisticsStep"];

interface ActivityProps {
	/** Those that wait. */
	readonly requests: Query<{ readonly total: number }>;
	/** Called once the numbers, or an error, are shown. */
	readonly onSettled: () => void;
}

export function Activity({ requests, onSettled }: ActivityProps) {
	const t = useWords("console").overview;
	const state = useListState({ filters: ["range", "from", "to"], defaults: { range: DEFAULT_PERIOD } });
	const period = periodOf(state.settled);
	const earlier = periodBefore(period);
	const both = joined(earlier, period);
	const { data, error, isLoading, reload } = useStatistics(both ?? period);
	const other = useStatistics(both === undefined ? earlier : undefined);
	const isSettled = data !== undefined || error !== undefined;
	useLayoutEffect(() => {
		if (isSettled) onSettled();
	}, [isSettled]);
	const steps = data?.data.steps.filter(({ at }) => at >= period.from);
	const before = (both === undefined ? other : { data }).data?.data.steps.filter(({ at }) => at < earlier.to);
	return (
		<>
			<PeriodChoice state={state} isUtc={period.bar === "utcDay"} />
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{error === undefined && (
				<>
					<Numbers
						requests={requests}
						signIns={steps?.map(signInsOf)}
						calls={steps?.map(callsOf)}
						signInsBefore={before?.map(signInsOf)}
						callsBefore={before?.map(callsOf)}
						bar={period.bar}
					/>
					<div class="lk-overview__charts" aria-busy={isLoading ? "true" : undefined}>
						<Chart title={t.signIns} okLabel={t.succeeded} steps={steps?.map(signInsOf)} bar={period.bar} />
						<Chart title={t.calls} okLabel={t.answered} steps={steps?.map(callsOf)} bar={period.bar} />
					</div>
				</>
			)}
		</>
	);
}

/** `undefined` loads nothing. */
function useStatistics(period: Period | undefined) {
	const { from = "", to = "", step = "hour" } = period ?? {};
	return useQuery(period === undefined ? undefined : `GET /stats ${from} ${to} ${step}`, (signal) =>
		call("GET /stats", { query: { from, to, step }, signal }),
	);
}

function signInsOf({ at, sign_ins, refused_sign_ins }: Step): ResultStep {
	return { at, ok: sign_ins, refused: refused_sign_ins };
}

function callsOf({ at, signed_calls, refused_calls }: Step): ResultStep {
	return { at, ok: signed_calls, refused: refused_calls };
}

interface ChartProps extends Pick<Period, "bar"> {
	readonly title: string;
	readonly okLabel: string;
	readonly steps: readonly ResultStep[] | undefined;
}

function Chart({ steps, ...chart }: ChartProps) {
	const t = useWords("console").overview;
	if (steps === undefined)
		return (
			<Card>
				<Skeleton height="18rem" />
			</Card>
		);
	return (
		<Card
			footer={steps.some((step) => step.ok + refusedOf(step) > 0) ? <Reasons steps={steps} /> : undefined}
		>
			<ResultChart {...chart} refusedLabel={t.refused} steps={steps} />
		</Card>
	);
}
