// Bars of what succeeded and what was refused, and the refusals by reason.

import { useLocation } from "wouter-preact";
import { Badge } from "../../ui/badge.tsx";
import { BarChart } from "../../ui/bar-chart.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { type Period, rangeOf, type TimeRange } from "./period.ts";
import { barsOf, type ResultStep, refusedOf, sumOf } from "./result-steps.ts";

const REASONS_MAX = 4;

interface ResultChartProps {
	readonly title: string;
	/** The card has the title. */
	readonly hideTitle?: boolean;
	readonly isStrip?: boolean;
	readonly okLabel: string;
	readonly refusedLabel: string;
	readonly steps: readonly ResultStep[];
	readonly bar: Period["bar"];
	/** The list of what a bar counts, also of the refusals with a code. */
	readonly hrefOf?: HrefOf | undefined;
	/** Its bars are highlighted. */
	readonly chosen?: ChosenTime | undefined;
}

/** Of the URL. */
export interface ChosenTime {
	readonly from?: string | undefined;
	readonly to?: string | undefined;
}

export type HrefOf = (filter: TimeRange & { readonly code?: string }) => string;

/** Refused calls of a subject. */
export function refusalsOf(subject: Readonly<Record<string, string>>): HrefOf {
	return ({ code, from, to }) =>
		`/console/refusals?${new URLSearchParams({ ...subject, ...(code !== undefined && { code }), from, to })}`;
}

export function ResultChart({
	title,
	hideTitle,
	isStrip,
	okLabel,
	refusedLabel,
	steps,
	bar,
	hrefOf,
	chosen: { from = "", to = "" } = {},
}: ResultChartProps) {
	const [, navigate] = useLocation();
	const t = useWords("console").statistics;
	const bars = barsOf(steps, bar);
	const isIn = ({ at }: ResultStep) => at < to && rangeOf(at, bar).to > from;
	const chosenBars = bars.filter(isIn);
	return (
		<BarChart
			title={title}
			hideTitle={hideTitle}
			isStrip={isStrip}
			labels={bars.map((step) => labelOf(step, bar))}
			labelHeader={bar === "hour" ? t.hour : t.day}
			isChosen={(at) => chosenBars.length === 0 || chosenBars.some((step) => step === bars[at])}
			onChoose={hrefOf && ((at) => navigate(hrefOf(rangeOf(bars[at]?.at ?? "", bar))))}
			series={[
				{ key: "ok", label: okLabel, tone: "accent", values: bars.map(({ ok }) => ok) },
				{ key: "refused", label: refusedLabel, tone: "danger", values: bars.map(refusedOf) },
			]}
		/>
	);
}

interface ReasonsProps {
	readonly steps: readonly ResultStep[];
	readonly period: TimeRange;
	readonly hrefOf?: HrefOf | undefined;
	readonly words?: ReasonWords | undefined;
}

/** For failures that are no refusals. */
export interface ReasonWords {
	readonly reasons: string;
	readonly noneRefused: string;
	readonly labelOf: (code: string) => string;
}

export function Reasons({ steps, period: { from, to }, hrefOf, words }: ReasonsProps) {
	const t = { ...useWords("console").statistics, labelOf: (code: string) => code, ...words };
	const sorted = Object.entries(sumOf(steps).refused).sort(([, a], [, b]) => b - a);
	if (sorted.length === 0) return <span class="lk-muted">{t.noneRefused}</span>;
	return (
		<>
			<span class="lk-muted">{t.reasons}</span>
			{sorted.slice(0, REASONS_MAX).map(([code, count]) => (
				<Badge key={code}>
					{hrefOf === undefined ? (
						t.labelOf(code)
					) : (
						<a class="lk-link" href={hrefOf({ code, from, to })}>
							{t.labelOf(code)}
						</a>
					)}{" "}
					· {format.number(count)}
				</Badge>
			))}
			{sorted.length > REASONS_MAX && <span class="lk-muted">{t.more(sorted.length - REASONS_MAX)}</span>}
		</>
	);
}

export function labelOf({ at }: Pick<ResultStep, "at">, bar: Period["bar"]): string {
	if (bar === "hour") return format.weekdayTime(at);
	return bar === "day" ? format.day(at) : format.utcDay(at);
}
