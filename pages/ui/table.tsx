// A list of records. Narrow containers show each row as a card.

import type { ComponentChildren } from "preact";
import { Menu, type MenuItem } from "./menu.tsx";
import { AllRowsBox, RowBox } from "./row-box.tsx";
import type { Selection } from "./selection.ts";
import { SkeletonBar } from "./skeleton.tsx";
import "./table.css";
import { type Column, type Sort, TableHeader } from "./table-header.tsx";
import { uiWords } from "./words.ts";

export type { Column, Sort };

export interface TableProps<Row> {
	/** For screen readers: what the table lists. */
	readonly caption: string;
	/** The first column names the row. */
	readonly columns: readonly Column<Row>[];
	/** `undefined` while loading: a skeleton appears. */
	readonly rows: readonly Row[] | undefined;
	readonly rowKey: (row: Row) => string;
	/** The page of a row: the whole row is a link. */
	readonly hrefOf?: ((row: Row) => string) | undefined;
	/** A row without actions has no menu. */
	readonly rowActions?: ((row: Row) => readonly MenuItem[]) | undefined;
	/** Names a row, for the label of its actions. */
	readonly rowName?: ((row: Row) => string) | undefined;
	/** Adds a checkbox to each row, and one for all rows. */
	readonly selection?: Selection | undefined;
	/** Dims the rows while they are being replaced. */
	readonly isLoading?: boolean | undefined;
	readonly expectedRows?: number | undefined;
	/** An `EmptyState`. */
	readonly empty?: ComponentChildren;
	readonly sort?: Sort | undefined;
	readonly onSort?: ((sort: Sort) => void) | undefined;
}

export function Table<Row>(props: TableProps<Row>) {
	const { caption, rows, rowActions, selection, isLoading = false, empty, expectedRows = 8 } = props;
	const columns = props.columns.filter(
		({ key, isDefault }) =>
			isDefault === undefined || key === props.sort?.key || rows?.every(isDefault) !== true,
	);
	if (rows?.length === 0 && empty !== undefined) return <div class="lk-table-frame">{empty}</div>;
	return (
		<div class="lk-table-frame" aria-busy={isLoading || rows === undefined ? "true" : undefined}>
			{/* The roles keep the meaning where a row is shown as a card. */}
			<table class="lk-table" role="table">
				<caption class="lk-hidden">{caption}</caption>
				<thead role="rowgroup">
					<tr role="row">
						{selection !== undefined && (
							<th role="columnheader" class="lk-table__select">
								<AllRowsBox keys={rows?.map(props.rowKey) ?? []} selection={selection} />
							</th>
						)}
						{columns.map((column) => (
							<TableHeader key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
						))}
						{rowActions !== undefined && (
							<th role="columnheader" class="lk-table__actions">
								<span class="lk-hidden">{uiWords().actions}</span>
							</th>
						)}
					</tr>
				</thead>
				<tbody role="rowgroup">
					{rows === undefined
						? Array.from({ length: expectedRows }, (_, index) => (
								<SkeletonRow
									key={`row-${index.toString()}`}
									columns={
										columns.length + Number(rowActions !== undefined) + Number(selection !== undefined)
									}
									index={index}
								/>
							))
						: rows.map((row) => <Body key={props.rowKey(row)} row={row} props={{ ...props, columns }} />)}
				</tbody>
			</table>
		</div>
	);
}

function Body<Row>({ row, props }: { row: Row; props: TableProps<Row> }) {
	const { columns, rowKey, hrefOf, rowActions, rowName, selection } = props;
	const actions = rowActions?.(row);
	const key = rowKey(row);
	return (
		<tr role="row" class={hrefOf === undefined ? undefined : "lk-table__linked"}>
			{selection !== undefined && (
				<td role="cell" class="lk-table__select">
					<RowBox rowKey={key} name={rowName?.(row) ?? key} selection={selection} />
				</td>
			)}
			{columns.map((column, index) => {
				const Cell = index === 0 ? "th" : "td";
				const content = column.cell(row);
				return (
					<Cell
						key={column.key}
						role={index === 0 ? "rowheader" : "cell"}
						{...(index === 0 ? { scope: "row" as const } : {})}
						data-label={column.header}
						class={classOf(column, row)}
					>
						{index === 0 && hrefOf !== undefined ? (
							<a class="lk-table__link" href={hrefOf(row)}>
								{content}
							</a>
						) : (
							content
						)}
					</Cell>
				);
			})}
			{actions !== undefined && (
				<td role="cell" class="lk-table__actions">
					{actions.length > 0 && <Menu items={actions} label={uiWords().actionsOf(rowName?.(row) ?? key)} />}
				</td>
			)}
		</tr>
	);
}

function classOf<Row>({ align, narrow, isDefault }: Column<Row>, row: Row): string | undefined {
	const classes = [
		align === "end" && "lk-table__end",
		narrow !== undefined && `lk-table__narrow--${narrow}`,
		isDefault?.(row) === true && "lk-table__narrow--hidden",
	].filter(Boolean);
	return classes.join(" ") || undefined;
}

function SkeletonRow({ columns, index }: { columns: number; index: number }) {
	return (
		<tr aria-hidden="true" class="lk-table__skeleton">
			{Array.from({ length: columns }, (_, column) => (
				<td key={`cell-${column.toString()}`}>
					<SkeletonBar index={index + column} />
				</td>
			))}
		</tr>
	);
}
