// The four numbers of the overview, compared with the period before.

import type { Query } from "../../api/query.ts";
import { StatTile } from "../../ui/stat-tile.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import type { Period } from "../statistics/period.ts";
import { barsOf, type ResultStep, refusedOf, refusedShareOf, sumOf } from "../statistics/result-steps.ts";

type Steps = readonly ResultStep[] | undefined;

interface NumbersProps extends Pick<Period, "bar"> {
	/** Those that wait. */
	readonly requests: Query<{ readonly total: number }>;
	/** Undefined while they load. */
	readonly signIns: Steps;
	readonly calls: Steps;
	readonly signInsBefore: Steps;
	readonly callsBefore: Steps;
}

export function Numbers({ requests, signIns, calls, signInsBefore, callsBefore, bar }: NumbersProps) {
	const t = useWords("console").overview;
	const { data: waiting, error, loadedAt } = requests;
	const isOld = error !== undefined && loadedAt !== undefined;
	const shareBefore = refusedShareOf(callsBefore ?? []);
	return (
		<div class="lk-overview__numbers">
			<StatTile
				label={t.signIns}
				value={okOf(signIns)}
				detail={useChange(signIns, signInsBefore)}
				course={courseOf(signIns, bar, ({ ok }) => ok)}
			/>
			<StatTile
				label={t.signedCalls}
				value={okOf(calls)}
				detail={useChange(calls, callsBefore)}
				course={courseOf(calls, bar, ({ ok }) => ok)}
			/>
			<StatTile
				label={t.refusedCalls}
				value={calls === undefined ? undefined : percent(refusedShareOf(calls) ?? 0)}
				detail={shareBefore === undefined ? undefined : t.before(percent(shareBefore))}
				course={courseOf(calls, bar, refusedOf)}
			/>
			<StatTile
				label={t.waitingRequests}
				value={waiting === undefined ? undefined : format.number(waiting.total)}
				hasFailed={error !== undefined}
				detail={isOld ? t.asOf(format.time(loadedAt)) : undefined}
				href="/console/requests"
			/>
		</div>
	);
}

function okOf(steps: Steps): string | undefined {
	return steps === undefined ? undefined : format.number(sumOf(steps).ok);
}

/** Undefined without a number to compare with. */
function useChange(steps: Steps, before: Steps): string | undefined {
	const t = useWords("console").overview;
	const earlier = sumOf(before ?? []).ok;
	if (steps === undefined || earlier === 0) return undefined;
	const share = sumOf(steps).ok / earlier - 1;
	return t.change(format.number(share, { style: "percent", signDisplay: "exceptZero" }));
}

function courseOf(steps: Steps, bar: Period["bar"], read: (step: ResultStep) => number) {
	return steps === undefined ? undefined : barsOf(steps, bar).map(read);
}

function percent(share: number): string {
	return format.number(share, { style: "percent", maximumFractionDigits: 1 });
}
