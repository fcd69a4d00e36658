// Search and filters above the people.

import type { ListState } from "../../api/list-state.ts";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { Select } from "../../ui/select.tsx";
import type { Sort } from "../../ui/table.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { ROLES } from "./person-rules.ts";

const DAY_MS = 86_400_000;
const INACTIVE_DAYS = [30, 90, 180, 365] as const;
/** In addition to the statuses: a locked account is active but accepts no password. */
const LOCKED = "locked";
const STATUSES = ["active", "invited", "disabled"] as const;

export function PeopleFilters({ state }: { readonly state: ListState }) {
	const t = useWords("console-people");
	const { values, set } = state;
	const filter = (name: string, label: string, options: { value: string; label: string }[]) => (
		<Select {...state.field(name)} label={label} hideLabel options={options} />
	);
	return (
		<FilterBar isFiltered={state.isFiltered} onReset={state.reset}>
			<SearchBox {...state.field("q")} label={t.searchLabel} />
			<Select
				name="status"
				label={t.status}
				hideLabel
				value={values.locked === "true" ? LOCKED : (values.status ?? "")}
				onValue={(value) => {
					set("status", value === LOCKED ? "" : value);
					set("locked", value === LOCKED ? "true" : "");
				}}
				options={[
					{ value: "", label: t.anyStatus },
					...STATUSES.map((value) => ({ value, label: t.statuses[value] })),
					{ value: LOCKED, label: t.locked },
				]}
			/>
			{filter("role", t.roles, [
				{ value: "", label: t.anyRole },
				...ROLES.map((value) => ({ value, label: t.roleNames[value] })),
			])}
			{filter("inactive_since", t.lastSignIn, [
				{ value: "", label: t.anyTime },
				...inactiveOptions(values.inactive_since ?? "", t),
			])}
			{filter(
				"sort",
				t.sort,
				SORTS.map((value) => ({ value, label: t.sorts[value] })),
			)}
		</FilterBar>
	);
}

/** Whole days, so that the URL is stable; a link may contain another time. */
function inactiveOptions(
	chosen: string,
	t: { inactiveDays: (days: number) => string; inactiveSince: (date: string) => string },
) {
	const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
	const options = INACTIVE_DAYS.map((days) => ({
		value: new Date(today - days * DAY_MS).toISOString(),
		label: t.inactiveDays(days),
	}));
	if (chosen === "" || options.some(({ value }) => value === chosen)) return options;
	const label = Number.isNaN(Date.parse(chosen)) ? chosen : t.inactiveSince(format.date(chosen));
	return [...options, { value: chosen, label }];
}

/** The available orders: a field, with `-` in front for descending; `""` is newest first. */
const SORTS = ["", "name", "-name", "username", "-username", "-last_login_at", "last_login_at"] as const;

export function sortOf(text = ""): Sort | undefined {
	if (text === "") return undefined;
	return text.startsWith("-") ? { key: text.slice(1), direction: "desc" } : { key: text, direction: "asc" };
}

export function textOf({ key, direction }: Sort): string {
	return direction === "desc" ? `-${key}` : key;
}
