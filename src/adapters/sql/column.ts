// The column types of table descriptions.

import { parseJson, type Shape } from "../../kernel/shape.ts";
import type { SqlValue } from "./queries.ts";

/** How a field is stored: unchanged, unless it has `read` and `write`. */
export interface Column<Value> {
	/** The type to which a parameter is cast where SQL cannot infer it. */
	readonly type: "TEXT" | "BIGINT";
	/** The name of the column. Default: the field in snake_case without the unit `Ms`. */
	readonly name?: string;
	/** For sealed text: derives the associated data from the id of the row. */
	readonly contextOf?: (id: string) => string;
	/** Part of the primary key. */
	readonly isKey?: true;
	/** For `foldedFrom`: the field that this column copies. */
	readonly source?: string;
	/** Methods are bivariant, so every column is a `Column<unknown>`. */
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

/** JSON text, checked against a shape when it is read. */
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

/** Like `commaList`, but never empty, and with a comma at each end so that one LIKE finds a value. */
export function enclosedList<Value extends string>(): Column<readonly Value[]> {
	return {
		type: "TEXT",
		read: (stored) => String(stored).slice(1, -1).split(",") as Value[],
		write: (values) => `,${values.join(",")},`,
	};
}

/** Text sealed with the master key. `contextOf` derives the associated data from the id of the row. */
export function sealed(contextOf: (id: string) => string): Column<string> {
	return { type: "TEXT", contextOf };
}

export type FoldedColumn = Column<never> & { readonly source: string };

/** A folded copy of another text field, for searches. Every write of the field writes it, and rows do not contain it. */
export function foldedFrom(source: string): FoldedColumn {
	return { type: "TEXT", source };
}

export function nullable<Value>(column: Column<Value>): Column<Value | null> {
	const { read, write, ...rest } = column;
	return {
		...rest,
		...(read && { read: (stored: SqlValue) => (stored === null ? null : read(stored)) }),
		...(write && { write: (value: Value | null) => (value === null ? null : write(value)) }),
	};
}

/** Text, or null, which is stored as `""`. */
export function emptyAsNull(): Column<string | null> {
	return {
		type: "TEXT",
		read: (stored) => (stored === "" ? null : String(stored)),
		write: (value) => value ?? "",
	};
}

/** A column of the primary key, which has the order of these columns. */
export function key<Value>(column: Column<Value>): Column<Value> {
	return { ...column, isKey: true };
}

/** The first columns of rows that belong to a tenant. */
export const ofTenant = { id: key(text()), tenantId: text() };

export const timestamps = { createdAtMs: integer(), updatedAtMs: integer() };

/** A column whose name does not follow from its field. */
export function named<Value>(name: string, column: Column<Value>): Column<Value> {
	return { ...column, name };
}

/** `lastLoginAtMs` → `last_login_at`: column names omit the unit of times. */
export function columnName(field: string, { name }: Column<unknown>): string {
	return name ?? field.replace(/Ms$/, "").replaceAll(/[0-9]+|[A-Z]/g, (part) => `_${part.toLowerCase()}`);
}
