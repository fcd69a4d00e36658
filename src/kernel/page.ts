// Pages of a list: numbered from 1, 20 rows by default, 100 at most.

export interface PageQuery {
	/** Starts at 1. */
	readonly page: number;
	/** 1 to 100; for an export `EXPORTED_AT_ONCE`. */
	readonly pageSize: number;
	/** For an export: the rows that follow this one, newest first, instead of a numbered page. Their total is not counted. */
	readonly after?: RowPlace;
}

/** The place of a row in a list that begins with the newest. */
export interface RowPlace {
	readonly createdAtMs: number;
	readonly id: string;
}

export interface Page<T> {
	readonly items: readonly T[];
	/** The number of rows across all pages. */
	readonly total: number;
	/** There are more rows than `total`: a search counts them up to `SEARCH_TOTAL_MAX`. Absent when the total is exact. */
	readonly totalIsMinimum?: true;
}

export const PAGE_SIZE_DEFAULT = 20;
export const PAGE_SIZE_MAX = 100;
export const SEARCH_TOTAL_MAX = 1_000;
export const EXPORTED_AT_ONCE = 500;

/** The page with each item mapped. */
export function mapPage<T, U>({ items, ...page }: Page<T>, map: (item: T) => U): Page<U> {
	return { ...page, items: items.map((item) => map(item)) };
}
