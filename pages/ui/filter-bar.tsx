// The row above a list: search, filters and a reset button.

import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import "./filter-bar.css";
import { SearchBox } from "./search-box.tsx";
import { Select } from "./select.tsx";
import { uiWords } from "./words.ts";

/** A select that sets a parameter of the list. */
export interface Filter {
	/** Of the parameter. */
	readonly name: string;
	readonly label: string;
	/** The label of the unfiltered list; undefined if `options` has one. */
	readonly any?: string;
	/** Labels by value of the parameter. */
	readonly options: Readonly<Record<string, string>>;
}

/** The part of a list state that the row shows. */
interface FilterState {
	field(name: string): { readonly name: string; readonly value: string; onValue(value: string): void };
	readonly isFiltered: boolean;
	reset(): void;
}

export interface FilterBarProps {
	readonly state: FilterState;
	/** Label of the search box, which sets the parameter `q`. */
	readonly search?: string | undefined;
	readonly filters?: readonly Filter[] | undefined;
	/** Other controls, or a text. */
	readonly children?: ComponentChildren;
	/** At the end of the row. */
	readonly actions?: ComponentChildren;
}

export function FilterBar({ state, search, filters = [], children, actions }: FilterBarProps) {
	return (
		<div class="lk-filters">
			{search !== undefined && <SearchBox {...state.field("q")} label={search} />}
			{children}
			{filters.map(({ name, label, any, options }) => (
				<Select
					key={name}
					{...state.field(name)}
					label={label}
					hideLabel
					options={[
						...(any === undefined ? [] : [{ value: "", label: any }]),
						...Object.entries(options).map(([value, text]) => ({ value, label: text })),
					]}
				/>
			))}
			{state.isFiltered && (
				<Button variant="quiet" onClick={state.reset}>
					{uiWords().resetFilters}
				</Button>
			)}
			{actions && <div class="lk-filters__actions">{actions}</div>}
		</div>
	);
}

/** The labels of some values, in this order. */
export function labels<Name extends string>(names: readonly Name[], all: Readonly<Record<Name, string>>) {
	return Object.fromEntries(names.map((name) => [name, all[name]]));
}
