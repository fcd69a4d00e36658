// Every column with sealed text, for `rekey` and `doctor`. A test compares the list with the schema.

import { TABLES } from "./tables/all-tables.ts";

export interface SealedColumn {
	readonly table: string;
	/** Its name ends with `_sealed`. NULL and `''` mean that nothing is sealed. */
	readonly column: string;
	/** The primary key of the table: one column. */
	readonly id: string;
	/** The associated data with which the text of a row was sealed. */
	contextOf(id: string): string;
}

/** The columns described as `sealed`. A change of the master key re-encrypts all of them. */
export const SEALED_COLUMNS: readonly SealedColumn[] = TABLES.flatMap(({ name, key, fields }) =>
	fields.flatMap(({ column, description: { contextOf } }) =>
		contextOf === undefined ? [] : [{ table: name, column, id: key.join(", "), contextOf }],
	),
);

/** Rows at either end of a table that a sample reads. */
const SAMPLED_ROWS = 500;

/** A query for `id` and `sealed` of the oldest and newest rows: its cost does not grow with the table. */
export function sampleOf({ table, column, id }: SealedColumn): string {
	const end = (order: string): string =>
		`SELECT * FROM (SELECT ${id} AS id, ${column} AS sealed FROM ${table} ORDER BY ${id} ${order} LIMIT ${SAMPLED_ROWS}) AS rows_${order}
		 WHERE sealed <> ''`;
	return `${end("ASC")} UNION ${end("DESC")}`;
}
