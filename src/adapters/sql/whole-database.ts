// The interface of an engine for backing up, restoring, or copying a database as a whole.

import type { Row, Table, TableShape } from "../../domain/backup.ts";
import type { Queries } from "./queries.ts";

/**
 * A view (and its rows) reads while others write; everything else needs a transaction and exclusive use of the database.
 * `queries` always belongs to that transaction or view: it is the connection `Q` of the engine.
 */
export interface WholeDatabase<Q extends Queries = Queries> {
	/** Runs `work` on one read-only snapshot: what was committed when it began. */
	view<T>(work: (queries: Q) => Promise<T>): Promise<T>;
	/** Every table, including that of the migrations; referenced tables come first. */
	tables(queries: Q): Promise<Table[]>;
	/** In batches, in the order of the primary key, with the columns of the shape. */
	rows(queries: Q, table: Table): AsyncIterable<readonly Row[]>;
	/** @throws UniqueViolation, or the engine's error when a row does not fit. */
	insert(queries: Q, table: TableShape, rows: readonly Row[]): Promise<void>;
	/** Runs `work` without time limits and with triggers disabled: rows are copied unchanged. */
	copying<T>(queries: Q, work: () => Promise<T>): Promise<T>;
	/** One statement without parameters and without a time limit. @returns the number of changed rows. */
	run(queries: Q, sql: string): Promise<number>;
	/** Removes these tables with all rows and triggers. */
	drop(queries: Q, tables: readonly TableShape[]): Promise<void>;
	/** The distinct names of the other clients connected to the database; empty where there can be none. */
	others(queries: Q): Promise<string[]>;
}

/** A column as the database describes it. */
export interface ColumnRow {
	readonly table: string;
	readonly name: string;
	/** From 1, its place in the primary key; 0 for other columns. */
	readonly place: number;
}

/** A foreign key of `table` refers to `parent`. */
export interface ParentRow {
	readonly table: string;
	readonly parent: string;
}

/**
 * The tables with these columns, in an order in which rows can be inserted: referenced tables first, then by name.
 *
 * @throws Error for circular references.
 */
export function tablesOf(columns: readonly ColumnRow[], references: readonly ParentRow[]): Table[] {
	const waiting = [...Map.groupBy(columns, ({ table }) => table)].sort(([a], [b]) => (a < b ? -1 : 1));
	const ordered: Table[] = [];
	while (waiting.length > 0) {
		const next = waiting.findIndex(([name]) =>
			references.every(
				({ table, parent }) =>
					table !== name || parent === name || ordered.some((done) => done.name === parent),
			),
		);
		const [found] = next < 0 ? [] : waiting.splice(next, 1);
		if (found === undefined)
			throw new Error(`circular foreign keys between the tables ${waiting.map(([name]) => name).join(", ")}`);
		const [name, own] = found;
		const key = own.filter(({ place }) => place > 0).sort((a, b) => a.place - b.place);
		ordered.push({ name, columns: own.map((column) => column.name), key: key.map((column) => column.name) });
	}
	return ordered;
}

/** All rows of a table in the order of its primary key. */
export function selectAll({ name, columns, key }: Table): string {
	return `SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${key.join(", ")}`;
}
