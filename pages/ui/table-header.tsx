// A column header with its sort order.

import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import { arrowDown, arrowUp } from "./icons.ts";

export interface Column<Row> {
	readonly key: string;
	readonly header: string;
	readonly cell: (row: Row) => ComponentChildren;
	readonly sortable?: boolean | undefined;
	/** Whether a row has the value that says nothing. The column is hidden if all rows have it, and on a phone the cell. */
	readonly isDefault?: ((row: Row) => boolean) | undefined;
	/** On a phone: not shown, at the end of the first line, or without its header. Default: a line with its header. */
	readonly narrow?: "hidden" | "end" | "plain" | undefined;
	/** Numbers and sizes. */
	readonly align?: "end" | undefined;
	/** A CSS length. */
	readonly width?: string | undefined;
}

export interface Sort {
	readonly key: string;
	readonly direction: "asc" | "desc";
}

interface HeaderProps<Row> {
	readonly column: Column<Row>;
	readonly sort: Sort | undefined;
	readonly onSort: ((sort: Sort) => void) | undefined;
}

export function TableHeader<Row>({ column, sort, onSort }: HeaderProps<Row>) {
	const isSorted = sort?.key === column.key;
	const isDescending = isSorted && sort.direction === "desc";
	return (
		<th
			role="columnheader"
			scope="col"
			class={column.align === "end" ? "lk-table__end" : undefined}
			style={column.width === undefined ? undefined : { inlineSize: column.width }}
			aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}
		>
			{column.sortable === true && onSort !== undefined ? (
				<button
					type="button"
					class="lk-table__sort"
					onClick={() => onSort({ key: column.key, direction: isSorted && !isDescending ? "desc" : "asc" })}
				>
					{column.header}
					<span class={isSorted ? undefined : "lk-table__unsorted"}>
						<Icon shape={isDescending ? arrowDown : arrowUp} />
					</span>
				</button>
			) : (
				column.header
			)}
		</th>
	);
}
