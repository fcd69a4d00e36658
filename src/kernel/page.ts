// Pages of a list, as the specification counts them: from 1, 20 rows unless asked otherwise, 100 at most.

export interface PageQuery {
	/** From 1. */
	readonly page: number;
	/** 1 to 100. */
	readonly pageSize: number;
}

export interface Page<T> {
	readonly items: readonly T[];
	/** Exact number of rows over all pages. */
	readonly total: number;
}

export const PAGE_SIZE_DEFAULT = 20;
export const PAGE_SIZE_MAX = 100;
