// The filters of the audit trail: who, what, to whom, when, from where.

import type { ListState } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { close } from "../../ui/icons.ts";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { nameOfRef } from "./refs.ts";
import { WhenFilter } from "./when-filter.tsx";

interface AuditFiltersProps {
	readonly state: ListState;
	/** The API's error about a filter. */
	readonly errors: Readonly<Record<string, string>>;
	readonly events: readonly Schemas["AuditEvent"][];
}

export function AuditFilters({ state, errors, events }: AuditFiltersProps) {
	const t = useWords("console-audit");
	const text = (name: string) => ({
		name,
		value: state.values[name] ?? "",
		onValue: (value: string) => state.set(name, value.trim()),
		error: errors[name],
	});
	return (
		<search class="lk-audit-filters">
			<TextInput {...text("actor_name")} label={t.who} placeholder={t.whoExample} />
			<Select
				{...state.field("action")}
				label={t.what}
				options={[{ value: "", label: t.anything }, ...actionOptions(t, state.values.action)]}
			/>
			<TextInput {...text("target_name")} label={t.onWhom} placeholder={t.onWhomExample} />
			<WhenFilter state={state} errors={errors} />
			<TextInput {...text("ip")} label={t.address} placeholder="203.0.113.7" code />
			<TextInput {...text("request_id")} label={t.requestId} code />
			<div class="lk-audit-filters__foot">
				{(["actor", "target"] as const).map((name) => (
					<Exactly key={name} name={name} state={state} events={events} />
				))}
				{state.isFiltered && (
					<Button variant="quiet" size="small" onClick={state.reset}>
						{uiWords().resetFilters}
					</Button>
				)}
			</div>
		</search>
	);
}

interface ExactlyProps extends Pick<AuditFiltersProps, "state" | "events"> {
	readonly name: "actor" | "target";
}

/** A filter by ID, set by links of other screens: shown with its name, removable. */
function Exactly({ name, state, events }: ExactlyProps) {
	const t = useWords("console-audit");
	const ref = state.values[name] ?? "";
	if (ref === "") return null;
	const known = events.find((event) => event[name] === ref)?.[`${name}_name`] ?? "";
	return (
		<Button size="small" icon={close} onClick={() => state.set(name, "")}>
			{name === "actor" ? t.onlyBy : t.onlyOn} <bdi>{nameOfRef(t, ref, known)}</bdi>
		</Button>
	);
}

/** Also an action that this page does not know, from a link. */
function actionOptions(t: WordsOf<"console-audit">, chosen = "") {
	const options = Object.entries(t.actions).map(([value, label]) => ({
		value,
		label,
		group: groupOf(t, value),
	}));
	const isKnown = chosen === "" || options.some(({ value }) => value === chosen);
	return isKnown ? options : [{ value: chosen, label: chosen, group: undefined }, ...options];
}

function groupOf(t: WordsOf<"console-audit">, action: string): string | undefined {
	const noun = action.slice(0, action.indexOf("."));
	return Object.entries(t.actionGroups).find(([nouns]) => nouns.split(" ").includes(noun))?.[1];
}
