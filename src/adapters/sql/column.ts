// The kinds of columns a table is described with.

import { parseJson, type Shape } from "../../kernel/shape.ts";
import type { SqlValue } from "./queries.ts";

/** How a field is stored; without `read` and `write` the stored value is the value itself. */
export interface Column<Value> {
	/** What a parameter is cast to where SQL does not tell its type. */
	readonly type: "TEXT" | "BIGINT";
	/** Name of the column; by default the field in snake_case without the unit `Ms`. */
	readonly name?: string;
	/** Of sealed text: the associated data it is sealed with, by the id of its row. */
	readonly contextOf?: (id: string) => string;
	/** Methods, so that a column of any value is a `Column<unknown>`. */
	read?(stored: SqlValue): Value;
	write?(value: Value): SqlValue;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** Text; `text<Status>()` for a closed set of values. */
export function text<Value extends string = string>(): Column<Value> {
	return { type: "TEXT" };
}

/** A whole number; times are milliseconds since the epoch. */
export function integer(): Column<number> {
	return { type: "BIGINT" };
}

/** 0 or 1. */
export function flag(): Column<boolean> {
	return { type: "BIGINT", read: (stored) => stored === 1, write: (value) => (value ? 1 : 0) };
}

/** JSON text whose value has a shape. */
export function json<Value>(shape: Shape<Value>): Column<Value> {
	return {
		type: "TEXT",
		read: (stored) => parseJson(shape, String(stored)),
		write: (value) => JSON.stringify(value),
	};
}

const NONE: readonly never[] = [];

/** Values without a comma, joined by commas; `""` for none. */
export function commaList<Value extends string = string>(): Column<readonly Value[]> {
	return {
		type: "TEXT",
		read: (stored) => (stored === "" ? NONE : (String(stored).split(",") as Value[])),
		write: (values) => values.join(","),
	};
}

/** As `commaList`, with a comma at each end too, so that one LIKE finds a value; never empty. */
export function enclosedList<Value extends string>(): Column<readonly Value[]> {
	return {
		type: "TEXT",
		read: (stored) => String(stored).slice(1, -1).split(",") as Value[],
		write: (values) => `,${values.join(",")},`,
	};
}

/** Text sealed with the master key. `contextOf` is the associated data for the row with an id. */
export function sealed(contextOf: (id: string) => string): Column<string> {
	return { type: "TEXT", contextOf };
}

/** NULL or a value of the column. */
export function nullable<Value>(column: Column<Value>): Column<Value | null> {
	const { read, write, ...rest } = column;
	return {
		...rest,
		...(read && { read: (stored: SqlValue) => (stored === null ? null : read(stored)) }),
		...(write && { write: (value: Value | null) => (value === null ? null : write(value)) }),
	};
}

/** Null, which is stored as `""`, or a text. */
export function emptyAsNull(): Column<string | null> {
	return {
		type: "TEXT",
		read: (stored) => (stored === "" ? null : String(stored)),
		write: (value) => value ?? "",
	};
}

/** A column whose name does not follow from its field. */
export function named<Value>(name: string, column: Column<Value>): Column<Value> {
	return { ...column, name };
}

/** `lastLoginAtMs` → `last_login_at`: the column of a time names no unit, the field does. */
export function columnName(field: string, { name }: Column<unknown>): string {
	return name ?? field.replace(/Ms$/, "").replaceAll(/[0-9]+|[A-Z]/g, (part) => `_${part.toLowerCase()}`);
}
