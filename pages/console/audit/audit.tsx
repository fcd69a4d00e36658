// `/console/audit`: who did what, when, and whether the trail is unchanged.

import { type ListState, useListState, usePage } from "../../api/list-state.ts";
import { useCall } from "../../api/use-call.ts";
import { Icon } from "../../ui/icon.tsx";
import { chevronForward, danger, list as listShape, success } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { ExportFile } from "../export/export-file.tsx";
import { useScreenTitle } from "../screen-title.ts";
import "./audit.css";
import { useRenewal } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Time } from "../../ui/time.tsx";
import { format } from "../../words/format.ts";
import { rangeOf, type TimeRange } from "../statistics/period.ts";
import { labelOf } from "../statistics/result-chart.tsx";
import { actionLabel } from "./action-filter.ts";
import { AuditEvents } from "./audit-events.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { nameOfRef } from "./refs.ts";
import { barsOf, stripOf } from "./strip-range.ts";
import { chosenNames } from "./who-field.tsx";

const FILTERS = [
	"id",
	"actor",
	"actor_name",
	"action",
	"target",
	"target_name",
	"request_id",
	"ip",
	"from",
	"to",
];

export function Audit() {
	const t = useWords("console-audit");
	const state = useListState({ filters: FILTERS });
	const list = usePage("GET /audit-events", state);
	useScreenTitle(t.title);
	const fieldErrors = Object.fromEntries(
		(list.error?.details ?? []).map(({ field, message }) => [field, message]),
	);
	const active = activeFilters(t, state.settled).map(t.quoted);
	const only = (name: string, value: string) => {
		state.reset();
		state.set(name, value);
	};
	return (
		<List
			title={t.title}
			description={t.description}
			actions={
				<ExportFile
					list="audit-events"
					route="GET /audit-events/export"
					state={state}
					formats={{ jsonl: t.exportJsonl, csv: t.exportCsv }}
					saved={t.exported}
				/>
			}
			before={
				<>
					<ChainState />
					<AuditFilters state={state} names={FILTERS} errors={fieldErrors} events={list.data?.data ?? []} />
					<EventStrip state={state} />
				</>
			}
			// The filters show the error of a field.
			list={{ ...list, error: list.error?.details.length === 0 ? list.error : undefined }}
			state={state}
			none={{
				icon: listShape,
				title: t.nothing,
				text: active.length === 0 ? t.nothingText : t.nothingMatches(format.list(active)),
			}}
			rowsOf={(events) => (
				<AuditEvents events={events} isLoading={list.isLoading} onOnly={only} onRestored={list.reload} />
			)}
		/>
	);
}

/** As the filters show them, without the period. */
function activeFilters(t: WordsOf<"console-audit">, values: ListState["values"]): string[] {
	const { action = "", actor = "", target = "", ...texts } = values;
	const names = [actor, target].map((ref) => ref && nameOfRef(t, ref, chosenNames.get(ref) ?? ""));
	const others = ["actor_name", "target_name", "ip", "request_id"].map((name) => texts[name] ?? "");
	return [action && actionLabel(t, action), ...names, ...others].filter((text) => text !== "");
}

/** Whether the trail is unchanged: the service verifies the newest events and shows where the chain ends. */
function ChainState() {
	const { data, error, isLoading, reload } = useCall("GET /audit-events/chain", {});
	if (error !== undefined) return <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data === undefined) return <Skeleton height="2.75rem" />;
	return <Chain chain={data.data} />;
}

function Chain({ chain }: { readonly chain: Schemas["AuditChain"] }) {
	const t = useWords("console-audit");
	const { broken_at, checked, last_hash, last_sequence, last_at, pruned_up_to, pruned_at } = chain;
	const isWhole = broken_at === null;
	return (
		<details class={isWhole ? "lk-chain" : "lk-chain lk-chain--broken"} open={!isWhole}>
			<summary>
				<Icon shape={isWhole ? success : danger} />
				<span>{isWhole ? t.chainWhole(checked, last_sequence) : t.chainBroken(broken_at)}</span>
				<Icon shape={chevronForward} mirrored />
			</summary>
			<div class="lk-stack">
				<p>{isWhole ? t.chainText : t.chainBrokenText}</p>
				<CopyField label={t.lastHash(format.number(last_sequence))} value={last_hash} />
				{last_at !== null && (
					<p class="lk-muted">
						{t.lastAt} <Time at={last_at} format="datetime" />
					</p>
				)}
				{pruned_at !== null && (
					<p class="lk-muted">
						{t.pruned(pruned_up_to)} <Time at={pruned_at} format="date" />
					</p>
				)}
				<p class="lk-muted">
					{t.verifyAll} <code dir="ltr">latchkey audit verify</code>
				</p>
			</div>
		</details>
	);
}

const RENEWED_MS = 120_000;

/** How many events the filters find, by hour or day: a click shows only that time. */
function EventStrip({ state }: { readonly state: ListState }) {
	const t = useWords("console-audit");
	const { from = "", to = "", page: _, ...filters } = state.settled;
	const strip = stripOf({ from, to });
	const period = { from: strip.from, to: strip.to, step: strip.step };
	const query = useCall("GET /audit-events/stats", { query: { ...filters, ...period } });
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
