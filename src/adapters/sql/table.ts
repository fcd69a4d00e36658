// A table described once: SELECT list, INSERT, UPDATE, DELETE and the mapping of rows follow from its columns.

import type { Page, PageQuery } from "../../kernel/page.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import { type Column, type Columns, columnName } from "./column.ts";
import type { Total } from "./counted-tables.ts";
import { type Filter, listPage } from "./page.ts";
import type { Queries, SqlValue } from "./queries.ts";
import type { TablePolicy } from "./table-policy.ts";

/** A row as the stores use it. */
export type RowOf<C extends Columns> = {
	readonly [Field in keyof C]: C[Field] extends Column<infer V> ? V : never;
};

/** Fields to change; undefined means unchanged. */
export type ChangesOf<C extends Columns> = { readonly [Field in keyof C]?: RowOf<C>[Field] | undefined };

export interface TableOptions {
	/** Columns of the primary key; default: `id`. */
	readonly key?: readonly string[];
	/** May what the table holds be used again after a restore? */
	readonly restore: TablePolicy;
}

/** Which rows of a table a list shows. */
export interface ListSelect {
	readonly filter: Filter;
	/** Default: `created_at DESC, id DESC`. */
	readonly order?: string;
	/** For long lists: gives the total without counting the rows. */
	readonly total?: Total | undefined;
}

/**
 * What follows an INSERT. In both texts `{field}` is the parameter of that field of the row, and `{0}`, `{1}` … are the
 * further parameters.
 */
export interface InsertClauses {
	/** Inserts only where this holds. */
	readonly where?: string;
	/** `(key) DO UPDATE SET …`; default: `DO NOTHING`. */
	readonly onConflict?: string;
}

interface Field {
	readonly field: string;
	readonly column: string;
	readonly description: Column<unknown>;
}

/** A table without the types of its columns. */
export type TableDescription = Pick<Table<Columns>, "name" | "key" | "restore" | "fields">;

/** Describes a table of the schema with all its columns; a test compares both. */
export function table<C extends Columns>(name: string, columns: C, options: TableOptions): Table<C> {
	return new Table(name, columns, options);
}

/** A table, or a selection of its columns. In every condition `$1`, `$2` … are the parameters that follow it. */
export class Table<C extends Columns> {
	readonly name: string;
	/** SELECT list: each column under the name of its field. */
	readonly columns: string;
	/** The table under its alias, for FROM. */
	readonly from: string;
	/** Columns of the primary key. */
	readonly key: readonly string[];
	readonly restore: TablePolicy;
	readonly fields: readonly Field[];
	readonly #description: C;
	readonly #options: TableOptions;
	readonly #prefix: string;
	readonly #converted: readonly { readonly field: string; readonly read: (stored: SqlValue) => unknown }[];
	readonly #insert: string;
	/** By condition: the same text each time, so that its prepared statement is found fast. */
	readonly #selects = new Map<string, string>();

	/** @param alias prefixes the columns of the SELECT list. */
	constructor(name: string, columns: C, options: TableOptions, alias?: string) {
		this.name = name;
		this.#description = columns;
		this.#options = options;
		this.key = options.key ?? ["id"];
		this.restore = options.restore;
		this.fields = Object.entries(columns).map(([field, description]) => ({
			field,
			column: columnName(field, description),
			description,
		}));
		this.#converted = this.fields.flatMap(({ field, description: { read } }) =>
			read ? [{ field, read }] : [],
		);
		this.#prefix = alias === undefined ? "" : `${alias}.`;
		this.columns = this.fields
			.map(({ field, column }) => `${this.#prefix}${column} AS "${field}"`)
			.join(", ");
		this.from = alias === undefined ? name : `${name} ${alias}`;
		this.#insert = `INSERT INTO ${name} (${this.fields.map(({ column }) => column).join(", ")})`;
	}

	/** The same table with these columns only. */
	pick<F extends keyof C & string>(...fields: readonly F[]): Table<Pick<C, F>> {
		return this.#select((field) => fields.includes(field as F)) as unknown as Table<Pick<C, F>>;
	}

	/** The same table without these columns. */
	without<F extends keyof C & string>(...fields: readonly F[]): Table<Omit<C, F>> {
		return this.#select((field) => !fields.includes(field as F)) as unknown as Table<Omit<C, F>>;
	}

	/** The same table under an alias, for joins. */
	as(alias: string): Table<C> {
		return new Table(this.name, this.#description, this.#options, alias);
	}

	/** The fields of this table out of a row that holds others too. */
	read(row: object): RowOf<C> {
		const stored = row as Record<string, unknown>;
		const own: Record<string, unknown> = {};
		for (const { field } of this.fields) own[field] = stored[field];
		return this.#convert(own);
	}

	/** The row that meets a condition on a unique key: `find(queries, "id = $1", id)`. */
	async find(queries: Queries, condition: string, ...parameters: SqlValue[]): Promise<RowOf<C> | undefined> {
		const row = await queries.one<object>(this.#selectWhere(condition), ...parameters);
		return row && this.#convert(row);
	}

	/** All rows that meet a condition; `ORDER BY` and `LIMIT` may follow it. */
	async all(queries: Queries, condition: string, ...parameters: SqlValue[]): Promise<RowOf<C>[]> {
		const rows = await queries.all<object>(this.#selectWhere(condition), ...parameters);
		return rows.map((row) => this.#convert(row));
	}

	async exists(queries: Queries, condition: string, ...parameters: SqlValue[]): Promise<boolean> {
		const sql = `SELECT 1 AS found FROM ${this.from} WHERE ${condition} LIMIT 1`;
		return (await queries.one(sql, ...parameters)) !== undefined;
	}

	async count(queries: Queries, condition: string, ...parameters: SqlValue[]): Promise<number> {
		const sql = `SELECT count(*) AS total FROM ${this.from} WHERE ${condition}`;
		return (await queries.one<{ total: number }>(sql, ...parameters))?.total ?? 0;
	}

	/** One page, newest first unless `order` says otherwise, and the exact total. */
	list(queries: Queries, { filter, order, total }: ListSelect, page: PageQuery): Promise<Page<RowOf<C>>> {
		const newest = `${this.#prefix}created_at DESC, ${this.#prefix}id DESC`;
		const select = { columns: this.columns, from: this.from, order: order ?? newest, filter, total };
		return listPage<object, RowOf<C>>(queries, select, page, (row) => this.#convert(row));
	}

	/** @throws UniqueViolation when a row with the same key is there. */
	async insert(queries: Queries, row: RowOf<C>): Promise<void> {
		await queries.run(`${this.#insert} VALUES (${this.#parameters(false)})`, ...this.#cells(row));
	}

	/** False when a unique index refuses the row. */
	async insertUnlessTaken(queries: Queries, row: RowOf<C>): Promise<boolean> {
		const sql = `${this.#insert} VALUES (${this.#parameters(false)}) ON CONFLICT DO NOTHING`;
		return (await queries.run(sql, ...this.#cells(row))) === 1;
	}

	/** An INSERT with a condition or an upsert, to be built once. It resolves to the number of rows written: 0 or 1. */
	insertWith(
		clauses: InsertClauses,
	): (queries: Queries, row: RowOf<C>, ...more: SqlValue[]) => Promise<number> {
		const sql = this.insertSql(clauses);
		return (queries, row, ...more) => queries.run(sql, ...this.#cells(row), ...more);
	}

	/** The text of `insertWith`, for a statement with RETURNING. */
	insertSql({ where, onConflict = "DO NOTHING" }: InsertClauses): string {
		const source =
			where === undefined
				? `VALUES (${this.#parameters(false)})`
				: `SELECT ${this.#parameters(true)} WHERE ${this.#place(where)}`;
		return `${this.#insert} ${source} ON CONFLICT ${this.#place(onConflict)}`;
	}

	/** `name = $3, status = $4` with its values; undefined fields are left out. `first` is the first parameter's number. */
	set(changes: ChangesOf<C>, first: number): { readonly assignments: string; readonly values: SqlValue[] } {
		const changed = this.fields.filter(({ field }) => changes[field] !== undefined);
		return {
			assignments: changed.map(({ column }, index) => `${column} = $${first + index}`).join(", "),
			values: changed.map(({ field, description }) => cellOf(description, changes[field])),
		};
	}

	/** @returns how many rows were changed. @throws UniqueViolation; see `unlessTaken`. */
	update(
		queries: Queries,
		changes: ChangesOf<C>,
		condition: string,
		...parameters: SqlValue[]
	): Promise<number> {
		const { assignments, values } = this.set(changes, parameters.length + 1);
		const sql = `UPDATE ${this.name} SET ${assignments} WHERE ${condition}`;
		return queries.run(sql, ...parameters, ...values);
	}

	/** Whether the one row with this key was changed. */
	async updateOne(
		queries: Queries,
		changes: ChangesOf<C>,
		condition: string,
		...parameters: SqlValue[]
	): Promise<boolean> {
		return (await this.update(queries, changes, condition, ...parameters)) === 1;
	}

	/**
	 * Locks the rows that meet a condition until the commit, on every engine: writes the last column without changing it.
	 * @returns how many rows there are.
	 */
	lock(queries: Queries, condition: string, ...parameters: SqlValue[]): Promise<number> {
		const column = this.fields.at(-1)?.column;
		return queries.run(`UPDATE ${this.name} SET ${column} = ${column} WHERE ${condition}`, ...parameters);
	}

	/** @returns how many rows were deleted. */
	delete(queries: Queries, condition: string, ...parameters: SqlValue[]): Promise<number> {
		return queries.run(`DELETE FROM ${this.name} WHERE ${condition}`, ...parameters);
	}

	/** Whether the one row with this key was deleted. */
	async deleteOne(queries: Queries, condition: string, ...parameters: SqlValue[]): Promise<boolean> {
		return (await this.delete(queries, condition, ...parameters)) === 1;
	}

	/** Deletes up to a number of rows, the last parameter: `purge(queries, "expires_at <= $1", nowMs, 100)`. */
	purge(queries: Queries, condition: string, ...parameters: SqlValue[]): Promise<number> {
		const key = this.key.join(", ");
		const chosen = `SELECT ${key} FROM ${this.name} WHERE ${condition} LIMIT $${parameters.length}`;
		return queries.run(`DELETE FROM ${this.name} WHERE (${key}) IN (${chosen})`, ...parameters);
	}

	/** Runs an UPDATE or DELETE of at most one row. @returns the row: as changed, or as it was before it was deleted. */
	async returning(queries: Queries, sql: string, ...parameters: SqlValue[]): Promise<RowOf<C> | undefined> {
		const row = await queries.one<object>(`${sql} RETURNING ${this.columns}`, ...parameters);
		return row && this.#convert(row);
	}

	#select(isChosen: (field: string) => boolean): Table<Columns> {
		const chosen = Object.entries(this.#description).filter(([field]) => isChosen(field));
		return new Table(this.name, Object.fromEntries(chosen), this.#options);
	}

	#selectWhere(condition: string): string {
		let sql = this.#selects.get(condition);
		if (sql === undefined) {
			sql = `SELECT ${this.columns} FROM ${this.from} WHERE ${condition}`;
			this.#selects.set(condition, sql);
		}
		return sql;
	}

	/** In place: the row was read for this call alone. */
	#convert(row: object): RowOf<C> {
		const values = row as Record<string, unknown>;
		for (const conversion of this.#converted)
			values[conversion.field] = conversion.read(values[conversion.field] as SqlValue);
		return values as RowOf<C>;
	}

	#cells(row: RowOf<C>): SqlValue[] {
		return this.fields.map(({ field, description }) => cellOf(description, row[field]));
	}

	/** A bare parameter in a SELECT has no type, hence the cast. */
	#parameters(cast: boolean): string {
		return this.fields
			.map(({ description: { type } }, index) => (cast ? `CAST($${index + 1} AS ${type})` : `$${index + 1}`))
			.join(", ");
	}

	#place(clause: string): string {
		return clause.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
			const index = this.fields.findIndex(({ field }) => field === name);
			return `$${index < 0 ? this.fields.length + Number(name) + 1 : index + 1}`;
		});
	}
}

/** The outcome of a write, or `taken` of the index that refused it: on both engines its text names the columns. */
export async function unlessTaken<T, Taken>(
	write: Promise<T>,
	taken: (constraint: string) => Taken,
): Promise<T | Taken> {
	try {
		return await write;
	} catch (error) {
		if (error instanceof UniqueViolation) return taken(error.constraint);
		throw error;
	}
}

function cellOf(column: Column<unknown>, value: unknown): SqlValue {
	return column.write === undefined ? (value as SqlValue) : column.write(value);
}
