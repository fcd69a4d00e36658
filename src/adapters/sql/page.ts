// Lists: one statement for the rows of a page, one for the total.

import { folded } from "../../kernel/folded.ts";
import { type Page, type PageQuery, type RowPlace, SEARCH_TOTAL_MAX } from "../../kernel/page.ts";
import { type Queries, type Sql, type SqlValue, type StatementOptions, statement } from "./queries.ts";
import type { Total } from "./row-counts.ts";
import type { Bound } from "./table-columns.ts";

/** SQLite reads this many rows of an index in about a millisecond, during which no other request is served. */
const MOST_READ_AT_ONCE = 1_000;

/**
 * Conditions of a WHERE clause with their parameters, numbered as they are added.
 *
 *     new Filter().add("tenant_id = ?", tenantId).maybe("status = ?", status).contains(["name_folded"], part)
 */
export class Filter {
	readonly #conditions: string[];
	readonly parameters: SqlValue[];
	/** How the statements of the list run. */
	options: StatementOptions = {};
	/** Whether the caller searches by part of a text: the total is then counted up to a limit. */
	isSearch = false;

	constructor(first?: Bound) {
		this.#conditions = first === undefined ? [] : [first.sql];
		this.parameters = [...(first?.values ?? [])];
	}

	/** `condition` writes each of its parameters as `?`, in order; they become `$1`, `$2` … */
	add(condition: string, ...parameters: SqlValue[]): this {
		let next = this.parameters.length;
		this.#conditions.push(condition.replaceAll("?", () => `$${++next}`));
		this.parameters.push(...parameters);
		return this;
	}

	/** Adds the condition unless the value is undefined. */
	maybe(condition: string, value: SqlValue | undefined): this {
		return value === undefined ? this : this.add(condition, value);
	}

	/** Adds a parameter for the FROM clause. @returns its place, such as `$2` */
	bind(parameter: SqlValue): string {
		return `$${this.parameters.push(parameter)}`;
	}

	/** For conditions that read many rows: other reads do not wait for this list. */
	separately(): this {
		this.options = { ...this.options, reads: "separately" };
		return this;
	}

	/**
	 * Requires that one of the columns contains `part`, literally except for case and accents. The columns are folded, or
	 * ASCII in lower case. No index supports this.
	 */
	contains(columns: readonly string[], part: string | undefined): this {
		const wanted = folded(part ?? "");
		if (wanted === "") return this;
		const pattern = `%${wanted.replaceAll(/[\\%_]/g, "\\$&")}%`;
		const matches = columns.map((column) => `${column} LIKE CAST(? AS TEXT) ESCAPE '\\'`);
		this.isSearch = true;
		return this.separately().add(`(${matches.join(" OR ")})`, ...columns.map(() => pattern));
	}

	/** Like `contains`, for the names of users, for which an engine may have an index. */
	userNamesContain(part: string | undefined): this {
		const userNamesLike = this.parameters.length + 1;
		this.contains(["username_key", "email", "display_name_folded"], part);
		if (this.parameters.length >= userNamesLike) this.options = { ...this.options, userNamesLike };
		return this;
	}

	/** All conditions; `""` if there are none. */
	get condition(): string {
		return this.#conditions.join(" AND ");
	}

	get where(): string {
		return this.#conditions.length === 0 ? "" : `WHERE ${this.condition}`;
	}
}

interface ListSql {
	readonly columns: string;
	readonly from: string;
	/** Each term says `ASC` or `DESC`, so that the list can be read from its end. */
	readonly order: string;
	readonly filter: Filter;
	/** For long lists: returns the total without counting the rows of the filter. */
	readonly total?: Total | undefined;
}

/**
 * One page and its total. `columns`, `from` and `order` are constant SQL, never input; order is newest first, ties by
 * id: `created_at DESC, id DESC`. A list of more than 1,000 rows, or a page after the first 1,000, is read separately.
 * A list without a kept total needs an index for its filter; a list with one also needs an index for its order, unless
 * its filter runs separately. A page after the first 1,000 rows is read from the nearer end of the list.
 */
export async function listPage<Row, T>(
	queries: Queries,
	select: ListSql,
	page: PageQuery,
	toItem: (row: Row) => T,
): Promise<Page<T>> {
	const { filter } = select;
	if (page.after !== undefined) return readAfter(queries, select, page.pageSize, page.after, toItem);
	if (select.total === undefined && filter.options.reads !== "separately") {
		const total = await countUpTo(MOST_READ_AT_ONCE + 1, queries, select);
		if (total > MOST_READ_AT_ONCE) filter.separately();
		else return { items: (await readRows<Row>(queries, select, page)).map(toItem), total };
	}
	if (offsetOf(page) >= MOST_READ_AT_ONCE) {
		filter.separately();
		if (!filter.isSearch) return readFar(queries, select, page, toItem);
	}
	const [rows, total] = await Promise.all([readRows<Row>(queries, select, page), totalOf(queries, select)]);
	return { items: rows.map(toItem), ...total };
}

/** `listPage` of rows that are items as they are. */
export function listRows<T>(queries: Queries, select: ListSql, page: PageQuery): Promise<Page<T>> {
	return listPage<T, T>(queries, select, page, (row) => row);
}

/** Reading up to an offset takes time for each row before it, so a page in the second half is counted from the end. */
async function readFar<Row, T>(
	queries: Queries,
	select: ListSql,
	page: PageQuery,
	toItem: (row: Row) => T,
): Promise<Page<T>> {
	const { total } = await totalOf(queries, select);
	const remaining = total - offsetOf(page);
	if (remaining > total / 2)
		return { items: (await readRows<Row>(queries, select, page)).map(toItem), total };
	if (remaining <= 0) return { items: [], total };
	const order = select.order.replaceAll(/ (?:ASC|DESC)\b/g, (end) => (end === " ASC" ? " DESC" : " ASC"));
	const limit = Math.min(page.pageSize, remaining);
	const rows = await readSlice<Row>(queries, { ...select, order }, limit, remaining - limit);
	return { items: rows.reverse().map(toItem), total };
}

/** Runs separately, and continues after a row instead of at an offset: concurrent changes neither skip nor repeat rows. */
async function readAfter<Row, T>(
	queries: Queries,
	select: ListSql,
	pageSize: number,
	{ createdAtMs, id }: RowPlace,
	toItem: (row: Row) => T,
): Promise<Page<T>> {
	const place = select.order.replaceAll(" DESC", "");
	select.filter.separately().add(`(${place}) < (?, ?)`, createdAtMs, id);
	const items = (await readRows<Row>(queries, select, { page: 1, pageSize })).map(toItem);
	return { items, total: items.length };
}

function readRows<Row>(queries: Queries, select: ListSql, page: PageQuery): Promise<Row[]> {
	return readSlice(queries, select, page.pageSize, offsetOf(page));
}

function readSlice<Row>(
	queries: Queries,
	{ columns, from, order, filter }: ListSql,
	count: number,
	offset: number,
): Promise<Row[]> {
	const limit = filter.parameters.length + 1;
	const text = `SELECT ${columns} FROM ${from} ${filter.where} ORDER BY ${order} LIMIT $${limit} OFFSET $${limit + 1}`;
	const sql = statement(text, filter.options);
	return queries.all<Row>(sql, ...filter.parameters, count, offset);
}

function offsetOf({ page, pageSize }: PageQuery): number {
	return (page - 1) * pageSize;
}

async function totalOf(queries: Queries, select: ListSql): Promise<Omit<Page<never>, "items">> {
	const { from, filter, total } = select;
	if (total !== undefined) return { total: await readTotal(queries, total.sql, total.parameters) };
	if (!filter.isSearch) {
		const sql = statement(`SELECT count(*) AS total FROM ${from} ${filter.where}`, filter.options);
		return { total: await readTotal(queries, sql, filter.parameters) };
	}
	const found = await countUpTo(SEARCH_TOTAL_MAX + 1, queries, select);
	return found > SEARCH_TOTAL_MAX ? { total: SEARCH_TOTAL_MAX, totalIsMinimum: true } : { total: found };
}

function countUpTo(most: number, queries: Queries, { from, filter }: ListSql): Promise<number> {
	const some = `SELECT 1 FROM ${from} ${filter.where} LIMIT ${most}`;
	const sql = statement(`SELECT count(*) AS total FROM (${some}) AS some_rows`, filter.options);
	return readTotal(queries, sql, filter.parameters);
}

/** Not with `one`: its reads share a connection and would wait for a slow count. */
async function readTotal(queries: Queries, sql: Sql, parameters: readonly SqlValue[]): Promise<number> {
	const [row] = await queries.all<{ total: number }>(sql, ...parameters);
	return row?.total ?? 0;
}
