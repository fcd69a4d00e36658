// The four numbers of the overview, compared with the period before; each opens its list.

import type { Query } from "../../api/query.ts";
import type { ResponseOf } from "../../api/routes.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { StatTile } from "../../ui/stat-tile.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { barsOf, type ResultStep, refusedOf, refusedShareOf, sumOf } from "../statistics/result-steps.ts";
import { type Activity, callsOf, refusedCallList, signInList, signInsOf } from "./use-activity.ts";

interface NumbersProps extends Activity {
	/** The requests that wait. */
	readonly waiting: Query<ResponseOf<"GET /requests">>;
}

export function Numbers({ period, query, steps, before, waiting }: NumbersProps) {
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
