// The filters of the audit trail: who, what, to whom, when, from where.

import type { ListState } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import { actionOptions } from "./action-filter.ts";
import { SavedFilters } from "./saved-filters.tsx";
import { WhenFilter } from "./when-filter.tsx";
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
