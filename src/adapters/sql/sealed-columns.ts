// Every column that holds sealed text: rekey and the doctor go through them, and a test compares them with the schema.

import { TABLES } from "./tables/all-tables.ts";

export interface SealedColumn {
	readonly table: string;
	/** Its name ends with `_sealed`. NULL and `''` mean that nothing is sealed. */
	readonly column: string;
	/** The primary key of the table: one column. */
	readonly id: string;
	/** The associated data a row's text was sealed with. */
	contextOf(id: string): string;
}

/** A column described as `sealed` is in this list, and so is re-sealed with a new master key. */
export const SEALED_COLUMNS: readonly SealedColumn[] = TABLES.flatMap(({ name, key, fields }) =>
	fields.flatMap(({ column, description: { contextOf } }) =>
		contextOf === undefined ? [] : [{ table: name, column, id: key.join(", "), contextOf }],
	),
);
