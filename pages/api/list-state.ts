// Filters, sort and page of a list, stored in the URL query so that links, reload and "back" show the same list.

import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "./client.ts";
import { type Query, useQuery } from "./query.ts";
import type { CallOptions, QueryOf, ResponseOf, Route } from "./routes.ts";

const TYPING_MS = 300;
const PAGE_SIZE = 20;

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
		const readAgain = (): void => {
			isFirst.current = true;
			setValues(read());
			setSettled(read());
		};
		addEventListener("popstate", readAgain);
		return () => removeEventListener("popstate", readAgain);
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

/** One page of a list route, by the state of its list. */
export function usePage<R extends PagedRoute>(
	route: R,
	state: ListState,
	more: { readonly path?: Record<string, string>; readonly query?: Partial<QueryOf<R>> } = {},
): Query<ResponseOf<R>> {
	const query = { ...more.query, page: "1", page_size: PAGE_SIZE, ...state.settled };
	const key = `${route} ${JSON.stringify([more.path, query])}`;
	return useQuery(key, (signal) => {
		const options = { path: more.path, query, signal } as unknown as CallOptions<R>;
		return (call as (route: R, options: CallOptions<R>) => Promise<ResponseOf<R>>)(route, options);
	});
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
