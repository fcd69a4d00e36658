// What is asked of an engine to back up, restore or copy a database as a whole.

import type { Row, Table, TableShape } from "../../domain/backup.ts";
import type { Queries } from "./queries.ts";

/**
 * A view (and its rows) reads while others write; everything else needs a transaction and exclusive use of the database.
 * `queries` always belongs to that transaction or view: it is the connection `Q` of the engine.
 */
export interface WholeDatabase<Q extends Queries = Queries> {
	/** Runs `work` on one read-only snapshot: what was committed when it began. */
	view<T>(work: (queries: Q) => Promise<T>): Promise<T>;
	/** Every table, that of the migrations included, referenced tables first. */
	tables(queries: Q): Promise<Table[]>;
	/** In batches, in the order of the primary key, with the columns of the shape. */
	rows(queries: Q, table: Table): AsyncIterable<readonly Row[]>;
	/** @throws UniqueViolation, or the engine's error when a row does not fit. */
	insert(queries: Q, table: TableShape, rows: readonly Row[]): Promise<void>;
	/** Runs `work` without time limits and with triggers disabled: rows are copied unchanged. */
	copying<T>(queries: Q, work: () => Promise<T>): Promise<T>;
	/** One statement without parameters and without time limit. @returns the number of rows changed. */
	run(queries: Q, sql: string): Promise<number>;
	/** Removes these tables with all rows and triggers. */
	drop(queries: Q, tables: readonly TableShape[]): Promise<void>;
	/** Names of the other clients connected to the database, each once; empty where none can be. */
	others(queries: Q): Promise<string[]>;
}
