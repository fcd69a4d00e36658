// The filters of the audit trail: who, what, to whom, when, from where.

import { useState } from "preact/hooks";
import type { ListState } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { actionOptions } from "./action-filter.ts";
import { SavedFilters } from "./saved-filters.tsx";
import { WhoField } from "./who-field.tsx";

interface AuditFiltersProps {
	readonly state: ListState;
	/** All filters, by API name. */
	readonly names: readonly string[];
	/** The API's error about a filter. */
	readonly errors: Readonly<Record<string, string>>;
	readonly events: readonly Schemas["AuditEvent"][];
}

export function AuditFilters({ state, names, errors, events }: AuditFiltersProps) {
	const t = useWords("console-audit");
	const text = (name: string) => ({
		name,
		value: state.values[name] ?? "",
		onValue: (value: string) => state.set(name, value.trim()),
		error: errors[name],
	});
	return (
		<search class="lk-audit-filters">
			<WhoField
				side="actor"
				label={t.who}
				state={state}
				error={errors.actor_name ?? errors.actor}
				events={events}
			/>
			<Select
				{...state.field("action")}
				label={t.what}
				options={[{ value: "", label: t.anything }, ...actionOptions(t, state.values.action)]}
			/>
			<WhoField
				side="target"
				label={t.onWhom}
				state={state}
				error={errors.target_name ?? errors.target}
				events={events}
			/>
			<WhenFilter state={state} errors={errors} />
			<TextInput {...text("ip")} label={t.address} placeholder="203.0.113.7" code />
			<TextInput {...text("request_id")} label={t.requestId} code />
			<div class="lk-audit-filters__foot">
				<SavedFilters state={state} names={names} />
				{state.isFiltered && (
					<Button variant="quiet" size="small" onClick={state.reset}>
						{uiWords().resetFilters}
					</Button>
				)}
			</div>
		</search>
	);
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const PERIODS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 720 * HOUR_MS } as const;
type Period = keyof typeof PERIODS;
type When = Period | "any" | "between";

interface WhenFilterProps {
	readonly state: ListState;
	readonly errors: Readonly<Record<string, string>>;
}

/** Stores a period as two times, so that a link shows the same list later. */
function WhenFilter({ state, errors }: WhenFilterProps) {
	const t = useWords("console-audit");
	const { from = "", to = "" } = state.values;
	const [chosen, setChosen] = useState<When>();
	const isOpen = from === "" && to === "";
	const shown: When = chosen !== "between" && isOpen ? "any" : (chosen ?? "between");
	const choose = (next: When) => {
		setChosen(next);
		if (next === "between") return;
		state.set("to", "");
		state.set("from", next === "any" ? "" : startOf(next));
	};
	return (
		<>
			<Select
				name="when"
				label={t.when}
				value={shown}
				onValue={choose}
				options={[
					{ value: "any", label: t.anyTime },
					{ value: "hour", label: t.lastHour },
					{ value: "day", label: t.lastDay },
					{ value: "week", label: t.lastWeek },
					{ value: "month", label: t.lastMonth },
					{ value: "between", label: t.between },
				]}
			/>
			{shown === "between" && (
				<>
					<Moment name="from" label={t.from} value={from} state={state} error={errors.from} />
					<Moment name="to" label={t.to} value={to} state={state} error={errors.to} />
				</>
			)}
		</>
	);
}

interface MomentProps {
	readonly name: string;
	readonly label: string;
	/** ISO 8601. */
	readonly value: string;
	readonly state: ListState;
	readonly error: string | undefined;
}

function Moment({ name, label, value, state, error }: MomentProps) {
	return (
		<div class="lk-audit-filters__moment">
			<TextInput
				name={name}
				label={label}
				type="datetime-local"
				value={localText(value)}
				onValue={(text) => state.set(name, text === "" ? "" : new Date(text).toISOString())}
				error={error}
			/>
		</div>
	);
}

/** To the minute, so that the URL stays short and the response can be cached. */
function startOf(period: Period): string {
	const at = Date.now() - PERIODS[period];
	return new Date(at - (at % MINUTE_MS)).toISOString();
}

/** As the control shows it, in the time zone of the browser. */
function localText(value: string): string {
	const at = new Date(value);
	if (value === "" || Number.isNaN(at.getTime())) return "";
	return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
