// Lists: one statement for the rows of a page, one for the exact total.

import type { Page, PageQuery } from "../../kernel/page.ts";
import { type Queries, type SqlValue, type StatementOptions, statement } from "./queries.ts";
import type { Total } from "./row-counts.ts";
import type { Bound } from "./table-columns.ts";

/** Conditions of a WHERE clause with their parameters, numbered as they are added. */
export class Filter {
	readonly #conditions: string[];
	readonly parameters: SqlValue[];
	/** How the statements of the list run. */
	options: StatementOptions = {};

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

	/** For conditions that read many rows: other reads do not wait for this list. */
	separately(): this {
		this.options = { ...this.options, reads: "separately" };
		return this;
	}

	/** Requires that one of the columns contains `part`, literally and ignoring ASCII case. No index supports this. */
	contains(columns: readonly string[], part: string | undefined): this {
		if (part === undefined || part === "") return this;
		const pattern = `%${lowered(part).replaceAll(/[\\%_]/g, "\\$&")}%`;
		const matches = columns.map((column) => `lower(${column}) LIKE CAST(? AS TEXT) ESCAPE '\\'`);
		return this.separately().add(`(${matches.join(" OR ")})`, ...columns.map(() => pattern));
	}

	/** Like `contains`, for the names of users, for which an engine may have an index. */
	userNamesContain(part: string | undefined): this {
		const userNamesLike = this.parameters.length + 1;
		this.contains(["username", "email", "display_name"], part);
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

/** Lowercases only ASCII letters, like `lower` on both engines. */
export function lowered(text: string): string {
	return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * One page and the exact total. `columns`, `from` and `order` are constant SQL, never input; order is newest
 * first, ties by id: `created_at DESC, id DESC`.
 */
export async function listPage<Row, T>(
	queries: Queries,
	select: {
		readonly columns: string;
		readonly from: string;
		readonly order: string;
		readonly filter: Filter;
		/** For long lists: returns the total without counting the rows of the filter. */
		readonly total?: Total | undefined;
	},
	page: PageQuery,
	toItem: (row: Row) => T,
): Promise<Page<T>> {
	const { columns, from, order, filter } = select;
	const total = select.total ?? {
		sql: statement(`SELECT count(*) AS total FROM ${from} ${filter.where}`, filter.options),
		parameters: filter.parameters,
	};
	const limit = filter.parameters.length + 1;
	const [rows, [counted]] = await Promise.all([
		queries.all<Row>(
			statement(
				`SELECT ${columns} FROM ${from} ${filter.where} ORDER BY ${order} LIMIT $${limit} OFFSET $${limit + 1}`,
				filter.options,
			),
			...filter.parameters,
			page.pageSize,
			(page.page - 1) * page.pageSize,
		),
		// Not `one`: its reads share a connection and would wait for a slow count.
		queries.all<{ total: number }>(total.sql, ...total.parameters),
	]);
	return { items: rows.map(toItem), total: counted?.total ?? 0 };
}
