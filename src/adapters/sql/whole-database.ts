// What is asked of an engine to back up, restore or copy a database as a whole.

import type { Row, Table, TableShape } from "../../features/backup/model.ts";
import type { Queries } from "./queries.ts";

/**
 * A view (and its rows) is for reading while others write; everything else is for a transaction in a database that
 * nobody else uses. `queries` is always the transaction's or the view's own.
 */
export interface WholeDatabase {
	/** Runs `work` over one consistent state: what was committed when it began, however long it takes. Changes nothing. */
	view<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
	/** Every table there is, that of the migrations included, parents before those that refer to them. */
	tables(queries: Queries): Promise<Table[]>;
	/** In batches, in the order of the primary key, with the columns of the shape. */
	rows(queries: Queries, table: Table): AsyncIterable<readonly Row[]>;
	/** @throws UniqueViolation, or the engine's error when a row does not fit. */
	insert(queries: Queries, table: TableShape, rows: readonly Row[]): Promise<void>;
	/** Lifts the time limits of this transaction, and runs `work` with no trigger of ours answering: rows are copied as they are. */
	copying<T>(queries: Queries, work: () => Promise<T>): Promise<T>;
	/** One statement without parameters that may take as long as it does. @returns how many rows were changed. */
	run(queries: Queries, sql: string): Promise<number>;
	/** Removes these tables with all rows and triggers. */
	drop(queries: Queries, tables: readonly TableShape[]): Promise<void>;
	/** How others that are connected to the database call themselves, each once; empty where nobody can be beside us. */
	others(queries: Queries): Promise<string[]>;
}
