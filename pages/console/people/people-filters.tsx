// Search and filters above the people.

import type { ListState } from "../../api/list-state.ts";
import { type Filter, labels } from "../../ui/filter-bar.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import type { Sort } from "../../ui/table.tsx";
import { format } from "../../words/format.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { ROLES } from "./person-rules.ts";

const DAY_MS = 86_400_000;
const INACTIVE_DAYS = [30, 90, 180, 365] as const;
/** In addition to the statuses: a locked account is active but accepts no password. */
const LOCKED = "locked";
const STATUSES = ["active", "invited", "disabled"] as const;

type Words = WordsOf<"console-people">;

export function StatusFilter({ state: { values, set } }: { readonly state: ListState }) {
	const t = useWords("console-people");
	return (
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
				...optionsOf(STATUSES, t.statuses),
				{ value: LOCKED, label: t.locked },
			]}
		/>
	);
}

export function peopleFilters(values: ListState["values"], t: Words): readonly Filter[] {
	return [
		{ name: "role", label: t.roles, any: t.anyRole, options: labels(ROLES, t.roleNames) },
		{
			name: "inactive_since",
			label: t.lastSignIn,
			any: t.anyTime,
			options: inactiveOptions(values.inactive_since ?? "", t),
		},
		{ name: "sort", label: t.sort, options: labels(SORTS, t.sorts) },
	];
}

/** Whole days, so that the URL is stable; a link may contain another time. */
function inactiveOptions(chosen: string, t: Words): Filter["options"] {
	const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
	const options = Object.fromEntries(
		INACTIVE_DAYS.map((days) => [new Date(today - days * DAY_MS).toISOString(), t.inactiveDays(days)]),
	);
	if (chosen === "" || chosen in options) return options;
	const label = Number.isNaN(Date.parse(chosen)) ? chosen : t.inactiveSince(format.date(chosen));
	return { ...options, [chosen]: label };
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
