// `/console`: what there is to do, the first steps of a new tenant, and recent activity.

import { useEffect } from "preact/hooks";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import { useCounts } from "../waiting.ts";
import { FirstSteps } from "./first-steps.tsx";
import "./overview.css";
import type { Query } from "../../api/query.ts";
import type { ResponseOf } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { success } from "../../ui/icons.ts";
import { Link } from "../../ui/link.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { StatTile } from "../../ui/stat-tile.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { format } from "../../words/format.ts";
import { isoDay, PERIODS, type Period, periodKeyOf } from "../statistics/period.ts";
import { type HrefOf, Reasons, ResultChart } from "../statistics/result-chart.tsx";
import { barsOf, type ResultStep, refusedOf, refusedShareOf, sumOf } from "../statistics/result-steps.ts";
import {
	type Activity,
	callsOf,
	refusedCallList,
	signInList,
	signInsOf,
	useActivity,
} from "./use-activity.ts";
import { type Tasks, useTasks } from "./use-tasks.tsx";

export function Overview() {
	const t = useWords("console").overview;
	useScreenTitle(t.title);
	const counts = useCounts();
	useEffect(() => {
		// From before another screen changed something.
		if (counts.data !== undefined) counts.renew();
	}, []);
	const activity = useActivity();
	const tasks = useTasks(counts, activity?.refusedCalls);
	const steps = counts.data?.data.first_steps;
	return (
		<>
			<PageHeader title={t.title} actions={activity && <PeriodChoice {...activity} />} />
			<div class="lk-stack">
				{activity && <Numbers {...activity} waiting={tasks.waiting} />}
				{/* What appears later would move the charts. */}
				{tasks.isHeld ? (
					<Skeleton height="14rem" />
				) : (
					<>
						<div class="lk-overview__first">
							<ForYou tasks={tasks} />
							{steps && <FirstSteps steps={steps} />}
						</div>
						{activity && <Charts {...activity} />}
					</>
				)}
			</div>
		</>
	);
}

const WEEK_MS = 7 * 86_400_000;

/** Selects the period of the charts. */
function PeriodChoice({ state: { values, set }, period }: Pick<Activity, "state" | "period">) {
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
				options={optionsOf(PERIODS, statistics.ranges)}
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

interface NumbersProps extends Activity {
	/** The requests that wait. */
	readonly waiting: Query<ResponseOf<"GET /requests">>;
}

/** The four numbers of the overview, compared with the period before; each opens its list. */
function Numbers({ period, query, steps, before, waiting }: NumbersProps) {
	const t = useWords("console").overview;
	if (query.error !== undefined)
		return <LoadError error={query.error} onRetry={query.reload} pending={query.isLoading} />;
	const [signIns, calls] = [steps?.map(signInsOf), steps?.map(callsOf)];
	const shareBefore = refusedShareOf(before?.map(callsOf) ?? []);
	const courseOf = (shown: readonly ResultStep[] | undefined, read: (step: ResultStep) => number) =>
		shown && barsOf(shown, period.bar).map(read);
	return (
		<div class="lk-overview__numbers">
			<StatTile
				label={t.signIns}
				value={okOf(signIns)}
				detail={<Change steps={signIns} before={before?.map(signInsOf)} />}
				course={courseOf(signIns, ({ ok }) => ok)}
				href={signInList(period)}
			/>
			<StatTile
				label={t.signedCalls}
				value={okOf(calls)}
				detail={<Change steps={calls} before={before?.map(callsOf)} />}
				course={courseOf(calls, ({ ok }) => ok)}
				href="/console/clients?sort=calls_24h"
			/>
			<StatTile
				label={t.refusedCalls}
				value={calls && percent(refusedShareOf(calls) ?? 0)}
				detail={shareBefore === undefined ? undefined : t.before(percent(shareBefore))}
				course={courseOf(calls, refusedOf)}
				href={refusedCallList(period)}
			/>
			<StatTile
				label={t.waitingRequests}
				value={waiting.data && format.number(waiting.data.total)}
				hasFailed={waiting.error !== undefined}
				detail={
					waiting.error !== undefined && waiting.loadedAt !== undefined
						? t.asOf(format.time(waiting.loadedAt))
						: undefined
				}
				href="/console/requests"
			/>
		</div>
	);
}

function okOf(steps: readonly ResultStep[] | undefined): string | undefined {
	return steps && format.number(sumOf(steps).ok);
}

/** A share of fewer events says nothing. */
const COMPARED_MIN = 20;

interface ChangeProps {
	readonly steps: readonly ResultStep[] | undefined;
	readonly before: readonly ResultStep[] | undefined;
}

function Change({ steps = [], before = [] }: ChangeProps) {
	const t = useWords("console").overview;
	const [count, earlier] = [sumOf(steps).ok, sumOf(before).ok];
	if (Math.min(count, earlier) < COMPARED_MIN) return null;
	const share = count / earlier - 1;
	return (
		<>
			<span aria-hidden="true">
				{share < 0 ? "▼" : "▲"} {percent(Math.abs(share))}
			</span>
			<span class="lk-hidden">
				{t.change(format.number(share, { style: "percent", signDisplay: "exceptZero" }))}
			</span>
		</>
	);
}

function percent(share: number): string {
	return format.number(share, { style: "percent", maximumFractionDigits: share < 1 ? 1 : 0 });
}

/** The tasks of the overview, each with a link that starts it. */
function ForYou({ tasks: { all, queries } }: { readonly tasks: Tasks }) {
	const t = useWords("console").overview;
	// An error is no all-clear.
	const failed = queries.find(({ error }) => error !== undefined);
	const loadedAt = queries.flatMap((query) => query.loadedAt ?? []).sort()[0];
	const time = loadedAt === undefined ? "" : format.time(loadedAt);
	return (
		<Card title={t.forYou} flush={all.length > 0}>
			{failed?.error !== undefined && (
				<LoadError
					error={failed.error}
					pending={failed.isLoading}
					onRetry={() => {
						for (const { error, reload } of queries) if (error !== undefined) reload();
					}}
				/>
			)}
			{failed !== undefined && all.length > 0 && loadedAt !== undefined && (
				<p class="lk-overview__as-of">{t.asOf(time)}</p>
			)}
			{failed === undefined && all.length === 0 && (
				<span class="lk-row lk-muted">
					<Icon shape={success} />
					{t.allClear(time)}
				</span>
			)}
			{all.length > 0 && (
				<ul class="lk-overview__list">
					{all.map(({ icon, text, label, href, tone }) => (
						<li key={href} class="lk-overview__item">
							<span class={`lk-overview__icon lk-overview__icon--${tone ?? "normal"}`}>
								<Icon shape={icon} />
							</span>
							<span class="lk-overview__text">{text}</span>
							<Link variant="secondary" size="small" href={href}>
								{label}
								<span class="lk-hidden"> {text}</span>
							</Link>
						</li>
					))}
				</ul>
			)}
		</Card>
	);
}

/** The charts of the overview, with refusals by reason. */
function Charts({ period, query, steps }: Activity) {
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
