// A paginated table with its error state.

import { EmptyState } from "./empty-state.tsx";
import type { FormError } from "./form-summary.tsx";
import { search } from "./icons.ts";
import { LoadError } from "./load-error.tsx";
import { Pagination, type PaginationProps } from "./pagination.tsx";
import { Table, type TableProps } from "./table.tsx";

interface PagedTableProps<Row> extends Omit<TableProps<Row>, "rows" | "isLoading"> {
	readonly list: {
		readonly data:
			| {
					readonly data: readonly Row[];
					readonly page_size: number;
					readonly total: number;
					readonly total_is_minimum?: boolean;
			  }
			| undefined;
		readonly error: FormError | undefined;
		readonly isLoading: boolean;
		reload(): void;
	};
	readonly state: {
		readonly page: number;
		setPage(page: number): void;
		readonly isFiltered?: boolean;
	} & Pick<PaginationProps, "sizes">;
	/** Replaces `empty` while the list is filtered. */
	readonly noMatch?: { readonly title: string; readonly text?: string };
}

/** Known rows stay while others load, and if that fails. */
export function PagedTable<Row>({ list, state, noMatch, empty, ...table }: PagedTableProps<Row>) {
	const { data, error, isLoading, reload } = list;
	const nothing =
		noMatch !== undefined && state.isFiltered === true ? (
			<EmptyState icon={search} title={noMatch.title}>
				{noMatch.text}
			</EmptyState>
		) : (
			empty
		);
	return (
		<div class="lk-stack">
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{(error === undefined || data !== undefined) && (
				<Table {...table} empty={nothing} rows={data?.data} isLoading={isLoading} />
			)}
			{data !== undefined && data.total > 0 && (
				<Pagination
					page={state.page}
					pageSize={data.page_size}
					total={data.total}
					totalIsMinimum={data.total_is_minimum}
					onPage={state.setPage}
					sizes={state.sizes}
				/>
			)}
		</div>
	);
}
