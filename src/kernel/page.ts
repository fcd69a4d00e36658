// Pages of a list: numbered from 1, 20 rows by default, 100 at most.

export interface PageQuery {
	/** Starts at 1. */
	readonly page: number;
	/** 1 to 100. */
	readonly pageSize: number;
}

export interface Page<T> {
	readonly items: readonly T[];
	/** Exact number of rows across all pages. */
	readonly total: number;
}

export const PAGE_SIZE_DEFAULT = 20;
export const PAGE_SIZE_MAX = 100;

/** The page with each item mapped. */
export function mapPage<T, U>({ items, total }: Page<T>, map: (item: T) => U): Page<U> {
	return { items: items.map((item) => map(item)), total };
}
