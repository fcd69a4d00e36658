// Filters, sort and page of a list, stored in the URL query so that links, reload and "back" show the same list.

import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { readStored, writeStored } from "../stored.ts";
import { call } from "./client.ts";
import { type Query, useQuery, useRenewal } from "./query.ts";
import type { CallOptions, QueryOf, ResponseOf, Route } from "./routes.ts";

const TYPING_MS = 300;
/** That a user can choose; remembered in this browser for all lists. */
export const PAGE_SIZES = [20, 50, 100] as const;
const SIZE_KEY = "latchkey.page-size";
const pageSize = signal<number>(PAGE_SIZES.find((size) => String(size) === readStored(SIZE_KEY)) ?? 20);

export interface ListState {
	/** API query parameters by name; missing ones have their default. */
	readonly values: Readonly<Record<string, string>>;
	/** Debounced values. */
	readonly settled: Readonly<Record<string, string>>;
	readonly page: number;
	/** Returns to the first page. */
	set(name: string, value: string): void;
	/** Props of the control that filters by a parameter. */
	field(name: string): {
		readonly name: string;
		readonly value: string;
		readonly onValue: (value: string) => void;
	};
	setPage(page: number): void;
	/** Rows of a page, one of `sizes`. */
	readonly sizes: { readonly all: readonly number[]; set(size: number): void };
	/** Clears the filters; keeps the sort. */
	reset(): void;
	readonly isFiltered: boolean;
}

interface ListOptions {
	/** API query parameters that the URL may set; other parameters are left alone. */
	readonly filters?: readonly string[];
	readonly defaults?: Readonly<Record<string, string>>;
}

export function useListState({ filters: names = [], defaults = {} }: ListOptions = {}): ListState {
	const read = (): Record<string, string> => ({ ...defaults, ...readAddress(names) });
	const [values, setValues] = useState(read);
	const [settled, setSettled] = useState(values);
	const isFirst = useRef(true);
	useEffect(() => {
		if (isFirst.current) {
			isFirst.current = false;
			return;
		}
		const timer = setTimeout(() => {
			writeAddress(names, values, defaults);
			setSettled(values);
		}, TYPING_MS);
		return () => clearTimeout(timer);
	}, [values]);
	useEffect(() => {
		const { pathname } = location;
		const readAgain = (): void => {
			if (location.pathname !== pathname) return;
			isFirst.current = true;
			setValues(read());
			setSettled(read());
		};
		// The router dispatches the second one: a link may lead to the same list with other filters.
		for (const type of ["popstate", "pushState"]) addEventListener(type, readAgain);
		return () => {
			for (const type of ["popstate", "pushState"]) removeEventListener(type, readAgain);
		};
	}, []);
	const { page = "1", ...filters } = values;
	const set = (name: string, value: string) =>
		setValues(({ page: _, ...before }) => ({ ...before, [name]: value }));
	return {
		values: filters,
		settled,
		page: Number(page) || 1,
		set,
		field: (name) => ({ name, value: filters[name] ?? "", onValue: (value) => set(name, value) }),
		sizes: {
			all: PAGE_SIZES,
			set(size) {
				writeStored(SIZE_KEY, String(size));
				pageSize.value = size;
				setValues(({ page: _, ...before }) => before);
			},
		},
		setPage: (number) => setValues((before) => ({ ...before, page: String(number) })),
		reset: () => setValues(({ sort = "" }) => ({ ...defaults, ...(sort === "" ? {} : { sort }) })),
		isFiltered: Object.entries(filters).some(
			([name, value]) => name !== "sort" && value !== (defaults[name] ?? ""),
		),
	};
}

type PagedRoute = {
	[R in Route]: ResponseOf<R> extends { data: readonly unknown[]; total: number } ? R : never;
}[Route];

/** One page of a list route, by the state of its list; renewed while it is visible. */
export function usePage<R extends PagedRoute>(
	route: R,
	state: ListState,
	more: { readonly path?: Record<string, string>; readonly query?: Partial<QueryOf<R>> } = {},
): Query<ResponseOf<R>> {
	const query = { ...more.query, page: "1", page_size: pageSize.value, ...state.settled };
	const key = `${route} ${JSON.stringify([more.path, query])}`;
	const list = useQuery(key, (signal) => {
		const options = { path: more.path, query, signal } as unknown as CallOptions<R>;
		return (call as (route: R, options: CallOptions<R>) => Promise<ResponseOf<R>>)(route, options);
	});
	useRenewal(list);
	return list;
}

function readAddress(names: readonly string[]): Record<string, string> {
	const search = new URLSearchParams(location.search);
	const page = search.get("page") ?? "";
	const filters = names
		.map((name) => [name, search.get(name)] as const)
		.filter(([, value]) => value !== null);
	return { ...Object.fromEntries(filters), ...(/^[1-9]\d*$/.test(page) && { page }) };
}

function writeAddress(
	names: readonly string[],
	values: Readonly<Record<string, string>>,
	defaults: Readonly<Record<string, string>>,
): void {
	const search = new URLSearchParams(location.search);
	for (const name of [...names, "page"]) {
		const initial = defaults[name] ?? (name === "page" ? "1" : "");
		const value = values[name] ?? initial;
		if (value === initial) search.delete(name);
		else search.set(name, value);
	}
	history.replaceState(
		history.state,
		"",
		`${location.pathname}${search.size === 0 ? "" : `?${search}`}${location.hash}`,
	);
}
