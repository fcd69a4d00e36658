// A paginated list: the header of a screen, search and filters, the rows with their loading, empty and error states.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { format } from "../words/format.ts";
import { useAskedInUrl } from "./asked-in-url.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";
import { FilterBar, type FilterBarProps } from "./filter-bar.tsx";
import { type IconShape, plus, search as searchShape } from "./icons.ts";
import { LoadError } from "./load-error.tsx";
import type { ShownQuery } from "./loaded.tsx";
import { PageHeader } from "./page-header.tsx";
import { Pagination, type PaginationProps } from "./pagination.tsx";
import { Skeleton } from "./skeleton.tsx";
import { Table, type TableProps } from "./table.tsx";

export interface Page<Row> {
	readonly data: readonly Row[];
	readonly page_size: number;
	readonly total: number;
	readonly total_is_minimum?: boolean;
}

type Rows<Row> =
	| (Omit<TableProps<Row>, "rows" | "isLoading" | "empty"> & { readonly rowsOf?: undefined })
	/** Rows that are not a table; called with at least one. */
	| { readonly rowsOf: (rows: readonly Row[]) => ComponentChildren };

interface Frame<Row> extends Pick<FilterBarProps, "search" | "filters"> {
	readonly list: ShownQuery<Page<Row>>;
	readonly state: FilterBarProps["state"] & {
		readonly page: number;
		setPage(page: number): void;
	} & Pick<PaginationProps, "sizes">;
	/** Of a screen that is this list. */
	readonly title?: string;
	readonly description?: string;
	/** Other controls of the filters, or a text. */
	readonly controls?: ComponentChildren;
	/** In the header, or after the filters. */
	readonly actions?: ComponentChildren;
	/** The button that opens a dialog, for users who may add rows. */
	readonly add?:
		| false
		| {
				readonly label: string;
				readonly dialog: (close: () => void) => ComponentChildren;
				/** In the URL: opens the dialog. Default for a screen: `#add`. */
				readonly hash?: string;
		  };
	/** Without rows; `offersAdd` repeats the button. */
	readonly none: {
		readonly icon: IconShape;
		readonly title: string;
		readonly text?: ComponentChildren;
		readonly offersAdd?: boolean;
	};
	/** Without rows that match the filters. */
	readonly noMatch?: { readonly title: string; readonly text?: string };
	/** Between the header and the filters. */
	readonly before?: ComponentChildren;
	/** Below the list. */
	readonly children?: ComponentChildren;
}

/** Known rows stay while others load, and if that fails. */
export function List<Row>(props: Frame<Row> & Rows<Row>) {
	const { list, state, title, description, search, filters, controls, actions, add, before, children } =
		props;
	const isScreen = title !== undefined;
	const [isAdding, setAdding] = useState(false);
	const { data, error, isLoading, reload } = list;
	const adding = add || undefined;
	useAskedInUrl(adding?.hash ?? (isScreen ? "#add" : undefined), () => setAdding(true));
	const button = adding && (
		<Button variant="primary" icon={plus} onClick={() => setAdding(true)}>
			{adding.label}
		</Button>
	);
	const all = (actions || button) && (
		<>
			{actions}
			{button}
		</>
	);
	const hasFilters = search !== undefined || filters !== undefined || controls !== undefined;
	return (
		<>
			{isScreen && (
				<PageHeader
					title={title}
					meta={data !== undefined && data.total > 0 && <Total page={data} />}
					description={description}
					actions={all || undefined}
				/>
			)}
			<div class="lk-stack">
				{before}
				{hasFilters && (
					<FilterBar state={state} search={search} filters={filters} actions={isScreen ? undefined : all}>
						{controls}
					</FilterBar>
				)}
				{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
				{(error === undefined || data !== undefined) && <ListBody {...props} button={button} />}
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
				{children}
			</div>
			{isAdding && adding?.dialog(() => setAdding(false))}
		</>
	);
}

function Total({ page: { total, total_is_minimum } }: { readonly page: Page<unknown> }) {
	return (
		<span class="lk-page-header__total">
			{format.number(total)}
			{total_is_minimum === true && "+"}
		</span>
	);
}

function ListBody<Row>(props: Frame<Row> & Rows<Row> & { readonly button: ComponentChildren }) {
	const { list, state, none, noMatch, button } = props;
	const rows = list.data?.data;
	const empty =
		noMatch !== undefined && state.isFiltered ? (
			<EmptyState icon={searchShape} title={noMatch.title}>
				{noMatch.text}
			</EmptyState>
		) : (
			<EmptyState icon={none.icon} title={none.title} action={(none.offersAdd && button) || undefined}>
				{none.text}
			</EmptyState>
		);
	if (props.rowsOf === undefined)
		return <Table {...props} rows={rows} isLoading={list.isLoading} empty={empty} />;
	if (rows === undefined) return <Skeleton lines={8} />;
	return <>{rows.length === 0 ? empty : props.rowsOf(rows)}</>;
}
