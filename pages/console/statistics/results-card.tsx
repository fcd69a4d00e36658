// A card that counts one subject's results over a recent period: of an API client, a gate, a webhook, or all mails.

import { useState } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import { Card } from "../../ui/card.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import { DEFAULT_PERIOD, type Period, periodOf, RECENT_PERIODS } from "./period.ts";
import { type ChosenTime, type HrefOf, Reasons, type ReasonWords, ResultChart } from "./result-chart.tsx";
import { type ResultStep, refusedOf, sumOf } from "./result-steps.ts";

interface ResultsCardProps {
	readonly title: string;
	readonly okLabel: string;
	readonly refusedLabel: string;
	/** Of the query, unique in the console. */
	readonly queryKey: string;
	readonly load: (
		range: Pick<Period, "from" | "to" | "step">,
		signal: AbortSignal,
	) => Promise<readonly ResultStep[]>;
	readonly hrefOf?: HrefOf;
	/** The time to which the list of `hrefOf` is limited. */
	readonly chosen?: ChosenTime;
	readonly reasonWords?: ReasonWords;
	/** Instead of both numbers; the chart is low and begins with the last 24 hours, above a list. */
	readonly describe?: (ok: number, total: number) => string;
}

export function ResultsCard(props: ResultsCardProps) {
	const { title, queryKey, describe } = props;
	const isStrip = describe !== undefined;
	const t = useWords("console").statistics;
	const [range, setRange] = useState<(typeof RECENT_PERIODS)[number]>(isStrip ? "24h" : DEFAULT_PERIOD);
	const { bar, ...period } = periodOf({ range });
	const { data, error, isLoading, reload } = useQuery(`${queryKey} ${period.from} ${period.to}`, (signal) =>
		props.load(period, signal),
	);
	const shown = error === undefined ? data : undefined;
	const sum = sumOf(shown ?? []);
	const refused = refusedOf(sum);
	const total = sum.ok + refused;
	const text = describe?.(sum.ok, total) ?? t.results(sum.ok, props.okLabel, refused, props.refusedLabel);
	return (
		<Card
			title={title}
			// A space keeps the line while there is nothing to count.
			description={shown === undefined ? "\u00a0" : text}
			actions={
				<Select
					name={`range ${queryKey}`}
					label={t.range}
					hideLabel
					value={range}
					onValue={setRange}
					options={optionsOf(RECENT_PERIODS, t.ranges)}
				/>
			}
			footer={
				!isStrip && shown !== undefined ? (
					<Reasons steps={shown} period={period} hrefOf={props.hrefOf} words={props.reasonWords} />
				) : undefined
			}
		>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{error === undefined && data === undefined && <Skeleton height={isStrip ? "9.5rem" : "16rem"} />}
			{shown !== undefined && !(isStrip && total === 0) && (
				<div aria-busy={isLoading ? "true" : undefined}>
					<ResultChart {...props} hideTitle isStrip={isStrip} steps={shown} bar={bar} />
				</div>
			)}
		</Card>
	);
}
