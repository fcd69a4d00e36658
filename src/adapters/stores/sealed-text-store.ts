// The sealed texts of one column across all tenants, for a change of the master key.

import type { Queries } from "../sql/queries.ts";
import type { SealedColumn } from "../sql/sealed-columns.ts";

/** A sealed text begins with `v1.` and the 8 digits of its key's id. */
const KEY_ID = (column: string): string => `substr(${column}, 4, 8)`;

export interface SealedRow {
	readonly id: string;
	readonly sealed: string;
}

export interface SealedTextStore {
	/** The number of texts per master key. */
	countByKey(): Promise<{ readonly keyId: string; readonly texts: number }[]>;
	/** Texts sealed with any other key, in the order of ids after `afterId`. */
	listOthers(keyId: string, afterId: string, limit: number): Promise<SealedRow[]>;
	/** False if the text was changed or erased after it was read. */
	replace(row: SealedRow, sealed: string): Promise<boolean>;
}

export function createSealedTextStore(
	queries: Queries,
	{ table, column, id }: SealedColumn,
): SealedTextStore {
	return {
		countByKey: () =>
			queries.all(
				`SELECT ${KEY_ID(column)} AS "keyId", count(*) AS texts FROM ${table} WHERE ${column} <> '' GROUP BY 1 ORDER BY 1`,
			),
		listOthers: (keyId, afterId, limit) =>
			queries.all(
				`SELECT ${id} AS id, ${column} AS sealed FROM ${table}
				 WHERE ${column} <> '' AND ${KEY_ID(column)} <> $1 AND ${id} > $2 ORDER BY ${id} LIMIT $3`,
				keyId,
				afterId,
				limit,
			),
		async replace(row, sealed) {
			const sql = `UPDATE ${table} SET ${column} = $3 WHERE ${id} = $1 AND ${column} = $2`;
			return (await queries.run(sql, row.id, row.sealed, sealed)) === 1;
		},
	};
}
