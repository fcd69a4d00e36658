// The SET part of an UPDATE that touches only what was given.

import type { SqlValue } from "./engine.ts";

/**
 * `name = $3, status = $4` with its values, out of columns of which `undefined` means unchanged. `first` is the
 * number of the first parameter; column names are ours, never a caller's.
 */
export function setClause(
	columns: Readonly<Record<string, SqlValue | undefined>>,
	first: number,
): { readonly assignments: string; readonly values: SqlValue[] } {
	const set = Object.entries(columns).filter((entry): entry is [string, SqlValue] => entry[1] !== undefined);
	return {
		assignments: set.map(([column], index) => `${column} = $${index + first}`).join(", "),
		values: set.map(([, value]) => value),
	};
}
