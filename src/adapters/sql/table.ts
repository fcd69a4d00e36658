// Builds the simple statements of a table from one description of its columns.

import type { Page, PageQuery } from "../../kernel/page.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import type { Columns } from "./column.ts";
import { Filter, listPage } from "./page.ts";
import { type Queries, type SqlValue, statement } from "./queries.ts";
import type { Total } from "./row-counts.ts";
import {
	type Bound,
	type ChangesOf,
	type Field,
	type RowOf,
	TableColumns,
	type ValuesOf,
} from "./table-columns.ts";
import type { TablePolicy } from "./table-policy.ts";

/** Which rows of a table a list shows. */
export interface ListSelect {
	readonly filter: Filter;
	/** Default: `created_at DESC, id DESC`. */
	readonly order?: string | undefined;
	/** For long lists: returns the total without counting the rows. */
	readonly total?: Total | undefined;
}

/**
 * Clauses of an INSERT. In both texts, `{field}` is the parameter of that field of the row, and `{0}`, `{1}` … are the
 * additional parameters.
 */
export interface InsertClauses {
	/** Inserts only if this condition holds. */
	readonly where?: string;
	/** `(key) DO UPDATE SET …`; default: `DO NOTHING`. */
	readonly onConflict?: string;
	/** As in `StatementOptions`. */
	readonly leavesCache?: true;
}

/**
 * Selects rows by the values of their fields, or by SQL in which `$1`, `$2` … are the parameters that follow. Write a value
 * that a partial index needs as SQL (`status = 'due'`): the planner cannot use the index with a parameter.
 */
export type Where<C extends Columns> = string | ValuesOf<C>;

/** A table without the types of its columns. */
export type TableDescription = Pick<Table<Columns>, "name" | "key" | "restore" | "fields">;

/** As strong as the lock of an UPDATE: others may still insert rows that refer to the locked one. */
const LOCK = " FOR NO KEY UPDATE";

/** Rows of one INSERT, largest first. */
const SET_SIZES = [100, 20, 4, 1] as const;

/**
 * Describes a table of the schema with all its columns; a test compares both. `restore` says what a restore does with the rows.
 *
 *     const groups = table("groups", KEPT, { id: key(text()), tenantId: text(), name: text() });
 *     await groups.find(queries, { id, tenantId });
 */
export function table<C extends Columns>(name: string, restore: TablePolicy, columns: C): Table<C> {
	return new Table(name, restore, columns, columns);
}

/** A table, or a selection `C` of its columns `All`. */
export class Table<C extends Columns, All extends Columns = C> {
	readonly name: string;
	/** SELECT list: each column under the name of its field. */
	readonly columns: string;
	/** The table under its alias, for FROM. */
	readonly from: string;
	/** Columns of the primary key. */
	readonly key: readonly string[];
	readonly restore: TablePolicy;
	readonly fields: readonly Field[];
	/** False for a selection of the columns. */
	readonly isWhole: boolean;
	readonly #chosen: C;
	readonly #all: All;
	readonly #columns: TableColumns<C, All>;
	readonly #insert: string;
	/** SELECT texts by condition. Reusing the same string speeds up the lookup of its prepared statement. */
	readonly #selects = new Map<string, string>();
	/** INSERT texts by number of rows and returned column. */
	readonly #inserts = new Map<string, string>();

	/** @param alias prefixes the columns of the SELECT list. */
	constructor(name: string, restore: TablePolicy, chosen: C, all: All, alias?: string) {
		this.name = name;
		this.restore = restore;
		this.from = alias === undefined ? name : `${name} ${alias}`;
		this.isWhole = (chosen as Columns) === all;
		this.#chosen = chosen;
		this.#all = all;
		this.#columns = new TableColumns(chosen, all, alias === undefined ? "" : `${alias}.`);
		this.columns = this.#columns.list;
		this.key = this.#columns.key;
		this.fields = this.#columns.fields;
		this.#insert = `INSERT INTO ${name} (${this.#columns.names})`;
	}

	/** The same table with only these columns. */
	pick<F extends keyof C & string>(...fields: readonly F[]): Table<Pick<C, F>, All> {
		return this.#select<Pick<C, F>>((field) => fields.includes(field as F));
	}

	/** The same table without these columns. */
	without<F extends keyof C & string>(...fields: readonly F[]): Table<Omit<C, F>, All> {
		return this.#select<Omit<C, F>>((field) => !fields.includes(field as F));
	}

	/** The same table under an alias, for joins. */
	as(alias: string): Table<C, All> {
		return new Table(this.name, this.restore, this.#chosen, this.#all, alias);
	}

	/** A filter for rows that have these values. */
	matching(values: ValuesOf<All>): Filter {
		return new Filter(this.#columns.condition(values));
	}

	/** Extracts the fields of this table from the row of a join. */
	read(row: object): RowOf<C> {
		const stored = row as Record<string, unknown>;
		const own: Record<string, unknown> = {};
		for (const { field } of this.#columns.readable) own[field] = stored[field];
		return this.#columns.convert(own);
	}

	/** Converts the fields of this table in the row of a join, and keeps the others, `More`. */
	readJoined<More>(row: object): RowOf<C> & More {
		return this.#columns.convert({ ...row }) as RowOf<C> & More;
	}

	/** The row that meets a condition on a unique key: `find(queries, { id, tenantId })`. */
	async find(queries: Queries, where: Where<All>, ...parameters: SqlValue[]): Promise<RowOf<C> | undefined> {
		const { sql, values } = this.#selectWhere(where, parameters);
		const row = await queries.one<object>(sql, ...values);
		return row && this.#columns.convert(row);
	}

	/** All rows that meet a condition; `ORDER BY` and `LIMIT` may follow it. */
	async all(queries: Queries, where: Where<All>, ...parameters: SqlValue[]): Promise<RowOf<C>[]> {
		const { sql, values } = this.#selectWhere(where, parameters);
		return (await queries.all<object>(sql, ...values)).map((row) => this.#columns.convert(row));
	}

	async exists(queries: Queries, where: Where<All>, ...parameters: SqlValue[]): Promise<boolean> {
		const { sql, values } = this.#where(where, parameters);
		return (
			(await queries.one(`SELECT 1 AS found FROM ${this.from} WHERE ${sql} LIMIT 1`, ...values)) !== undefined
		);
	}

	async count(queries: Queries, where: Where<All>, ...parameters: SqlValue[]): Promise<number> {
		const { sql, values } = this.#where(where, parameters);
		const counted = `SELECT count(*) AS total FROM ${this.from} WHERE ${sql}`;
		return (await queries.one<{ total: number }>(counted, ...values))?.total ?? 0;
	}

	/** One page, newest first unless `order` says otherwise, and the total; see `listPage`. */
	list(queries: Queries, { filter, order, total }: ListSelect, page: PageQuery): Promise<Page<RowOf<C>>> {
		const { prefix } = this.#columns;
		const newest = `${prefix}created_at DESC, ${prefix}id DESC`;
		const select = { columns: this.columns, from: this.from, order: order ?? newest, filter, total };
		return listPage<object, RowOf<C>>(queries, select, page, (row) => this.#columns.convert(row));
	}

	/** The cells of a row by column, for a statement that reads rows from JSON. */
	cellsByColumn(row: RowOf<C>): Record<string, SqlValue> {
		const cells = this.#columns.cells(row);
		return Object.fromEntries(this.fields.map(({ column }, index) => [column, cells[index] ?? null]));
	}

	/** @throws UniqueViolation when a row with the same key exists. */
	async insert(queries: Queries, row: RowOf<C>): Promise<void> {
		await queries.run(
			`${this.#insert} VALUES (${this.#columns.parameters(false)})`,
			...this.#columns.cells(row),
		);
	}

	/** False when a unique index refuses the row. */
	async insertUnlessTaken(queries: Queries, row: RowOf<C>): Promise<boolean> {
		return (await queries.run(this.insertSql({}), ...this.#columns.cells(row))) === 1;
	}

	/**
	 * Inside a transaction: inserts the rows that no unique index refuses, of equal ones the first, with few statements.
	 *
	 * @returns the first column of the keys of the inserted rows, or another one.
	 */
	async insertAllUntaken(
		queries: Queries,
		rows: readonly RowOf<C>[],
		key = this.key[0] as string,
	): Promise<Set<string>> {
		const inserted = new Set<string>();
		for (let from = 0; from < rows.length; from += SET_SIZES[0]) {
			const some = rows.slice(from, from + SET_SIZES[0]);
			const size = SET_SIZES.findLast((each) => each >= some.length) ?? SET_SIZES[0];
			// Repeated rows fill the statement up, so that few are prepared: their keys are taken.
			const cells = Array.from({ length: size }, (_, index) => some[index] ?? (some[0] as RowOf<C>));
			const found = await queries.all<Record<string, string>>(
				this.#insertSet(size, key),
				...cells.flatMap((row) => this.#columns.cells(row)),
			);
			for (const row of found) inserted.add(row[key] as string);
		}
		return inserted;
	}

	/** An INSERT with a condition, or an upsert; build it once. Resolves to the number of written rows: 0 or 1. */
	insertWith(
		clauses: InsertClauses,
	): (queries: Queries, row: RowOf<C>, ...more: SqlValue[]) => Promise<number> {
		const sql = statement(this.insertSql(clauses), { leavesCache: clauses.leavesCache });
		return (queries, row, ...more) => queries.run(sql, ...this.#columns.cells(row), ...more);
	}

	/** The text of `insertWith`, for a statement with RETURNING. */
	insertSql({ where, onConflict = "DO NOTHING" }: InsertClauses): string {
		const source =
			where === undefined
				? `VALUES (${this.#columns.parameters(false)})`
				: `SELECT ${this.#columns.parameters(true)} WHERE ${this.#columns.place(where)}`;
		return `${this.#insert} ${source} ON CONFLICT ${this.#columns.place(onConflict)}`;
	}

	/**
	 * `name = $3, status = $4` with its values, without undefined fields. `first` is the number of the first parameter.
	 *
	 * @throws Error for the tenant and for columns of the primary key: no statement may move a row.
	 */
	set(changes: ChangesOf<All>, first: number): Bound {
		return this.#columns.assignments(changes, first);
	}

	/** @returns the number of changed rows. @throws UniqueViolation; see `unlessTaken`. */
	update(
		queries: Queries,
		changes: ChangesOf<All>,
		where: Where<All>,
		...parameters: SqlValue[]
	): Promise<number> {
		const { sql, values } = this.#updateWhere(changes, where, parameters);
		return queries.run(sql, ...values);
	}

	/** Whether the one row with this key was changed. */
	async updateOne(...update: Parameters<Table<C, All>["update"]>): Promise<boolean> {
		return (await this.update(...update)) === 1;
	}

	/** `updateOne`, or `taken` when a unique index refuses it. */
	updateUnlessTaken<Taken>(
		queries: Queries,
		changes: ChangesOf<All>,
		key: ValuesOf<All>,
		taken: Taken,
	): Promise<"updated" | "missing" | Taken> {
		const update = this.updateOne(queries, changes, key).then((isDone) => (isDone ? "updated" : "missing"));
		return unlessTaken<"updated" | "missing", Taken>(update, () => taken);
	}

	/** Like `updateOne`. @returns the changed row. */
	updateReturning(
		queries: Queries,
		changes: ChangesOf<All>,
		where: Where<All>,
		...parameters: SqlValue[]
	): Promise<RowOf<C> | undefined> {
		const { sql, values } = this.#updateWhere(changes, where, parameters);
		return this.returning(queries, sql, ...values);
	}

	/** Inside a transaction: locks the rows that meet a condition until the commit. @returns their number. */
	async lock(queries: Queries, where: Where<All>, ...parameters: SqlValue[]): Promise<number> {
		const { sql, values } = this.#where(where, parameters);
		return (await queries.all(`SELECT 1 AS locked FROM ${this.name} WHERE ${sql}${LOCK}`, ...values)).length;
	}

	/** Inside a transaction: `find`, and locks the row until the commit. */
	async findLocked(
		queries: Queries,
		where: Where<All>,
		...parameters: SqlValue[]
	): Promise<RowOf<C> | undefined> {
		const { sql, values } = this.#selectWhere(where, parameters);
		const row = await queries.one<object>(`${sql}${LOCK}`, ...values);
		return row && this.#columns.convert(row);
	}

	/** @returns the number of deleted rows. */
	delete(queries: Queries, where: Where<All>, ...parameters: SqlValue[]): Promise<number> {
		const { sql, values } = this.#where(where, parameters);
		return queries.run(`DELETE FROM ${this.name} WHERE ${sql}`, ...values);
	}

	/** Whether the one row with this key was deleted. */
	async deleteOne(queries: Queries, where: Where<All>, ...parameters: SqlValue[]): Promise<boolean> {
		return (await this.delete(queries, where, ...parameters)) === 1;
	}

	/** Like `deleteOne`. @returns the deleted row. */
	deleteReturning(
		queries: Queries,
		where: Where<All>,
		...parameters: SqlValue[]
	): Promise<RowOf<C> | undefined> {
		const { sql, values } = this.#where(where, parameters);
		return this.returning(queries, `DELETE FROM ${this.name} WHERE ${sql}`, ...values);
	}

	/**
	 * Deletes up to a number of rows, the last parameter: `purge(queries, "expires_at <= $1", nowMs, 100)`. Skips rows that another
	 * transaction holds, so that nodes share the work.
	 */
	purge(queries: Queries, condition: string, ...parameters: SqlValue[]): Promise<number> {
		const key = this.key.join(", ");
		const chosen = `SELECT ${key} FROM ${this.name} WHERE ${condition} LIMIT $${parameters.length} FOR UPDATE SKIP LOCKED`;
		return queries.run(`DELETE FROM ${this.name} WHERE (${key}) IN (${chosen})`, ...parameters);
	}

	/** Runs an UPDATE or DELETE of at most one row. @returns the changed or deleted row. */
	async returning(queries: Queries, sql: string, ...parameters: SqlValue[]): Promise<RowOf<C> | undefined> {
		const row = await queries.one<object>(`${sql} RETURNING ${this.columns}`, ...parameters);
		return row && this.#columns.convert(row);
	}

	#select<S extends Columns>(isChosen: (field: string) => boolean): Table<S, All> {
		const chosen = Object.entries(this.#chosen).filter(([field]) => isChosen(field));
		return new Table(this.name, this.restore, Object.fromEntries(chosen) as Columns as S, this.#all);
	}

	#insertSet(size: number, key: string): string {
		const known = this.#inserts.get(`${size} ${key}`);
		if (known !== undefined) return known;
		const width = this.fields.length;
		const rows = Array.from(
			{ length: size },
			(_, index) => `(${this.#columns.parameters(true, index * width + 1)})`,
		);
		const sql = `${this.#insert} VALUES ${rows.join(", ")} ON CONFLICT DO NOTHING RETURNING ${key}`;
		this.#inserts.set(`${size} ${key}`, sql);
		return sql;
	}

	#where(where: Where<All>, parameters: SqlValue[]): Bound {
		if (typeof where === "string") return { sql: where, values: parameters };
		if (parameters.length > 0) throw new TypeError("values of fields take no further parameters");
		return this.#columns.condition(where);
	}

	#selectWhere(where: Where<All>, parameters: SqlValue[]): Bound {
		const { sql: condition, values } = this.#where(where, parameters);
		let sql = this.#selects.get(condition);
		if (sql === undefined) {
			sql = `SELECT ${this.columns} FROM ${this.from} WHERE ${condition}`;
			this.#selects.set(condition, sql);
		}
		return { sql, values };
	}

	#updateWhere(changes: ChangesOf<All>, where: Where<All>, parameters: SqlValue[]): Bound {
		const condition = this.#where(where, parameters);
		const { sql, values } = this.set(changes, condition.values.length + 1);
		return {
			sql: `UPDATE ${this.name} SET ${sql} WHERE ${condition.sql}`,
			values: [...condition.values, ...values],
		};
	}
}

/**
 * The result of a write, or of `taken` with the name of the unique index that refused it. On both engines the name contains
 * the columns.
 */
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
