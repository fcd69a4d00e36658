// A person with everything that the page shows of them at first, in one response.

import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { type Query, useQuery } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";

/** Every part was requested. */
export type Details = Required<Omit<Schemas["UserDetails"], "recent_events">>;

const PARTS = ["locked", "second_factors", "third_party_accounts", "groups", "grants", "sessions"] as const;

export function useDetails(id: string): Query<Details> {
	return useQuery(`GET /users/${id} details`, async (signal) => {
		const query = { include: [...PARTS] };
		const { data } = await call("GET /users/{id}", { path: { id }, query, signal });
		return data as Details;
	});
}

interface Rows<Row> {
	readonly data: readonly Row[];
	readonly total: number;
}

interface PartOptions<Row> {
	/** Cache key of the later pages. */
	readonly key: string;
	readonly pageSize: number;
	readonly load: (
		query: { readonly page: number; readonly page_size: number },
		signal: AbortSignal,
	) => Promise<Rows<Row>>;
}

/** The pages of a list: those within `first`, which came with the person, and later ones, which are loaded. */
export function usePart<Row>(first: Rows<Row>, { key, pageSize, load }: PartOptions<Row>) {
	const { total } = first;
	const [chosen, setPage] = useState(1);
	const page = Math.max(1, Math.min(chosen, Math.ceil(total / pageSize)));
	const isKnown = Math.min(page * pageSize, total) <= first.data.length;
	const later = useQuery(isKnown ? undefined : `${key} ${page}`, (signal) =>
		load({ page, page_size: pageSize }, signal),
	);
	const shown = useRef(first);
	useEffect(() => {
		if (shown.current === first) return;
		shown.current = first;
		later.reload();
	}, [first]);
	return {
		rows: isKnown ? first.data.slice((page - 1) * pageSize, page * pageSize) : later.data?.data,
		error: isKnown ? undefined : later.error,
		isLoading: !isKnown && later.isLoading,
		reload: later.reload,
		/** Undefined if one page has all rows. */
		pages: total > pageSize ? { page, pageSize, total, onPage: setPage } : undefined,
	};
}
