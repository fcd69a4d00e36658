// Turns a filter of SCIM into the condition of a statement.

import type { AttributeType } from "../../domain/directory.ts";
import type { ScimFilter, ScimValue } from "../../domain/scim-filter.ts";
import type { SqlValue } from "../sql/queries.ts";

interface Column {
	readonly sql: string;
	readonly type: AttributeType;
}

/** Rows of another table that have the values of an attribute. */
interface Rows {
	/** `d.user_id IN (SELECT … WHERE …`, without the condition and the closing parenthesis. */
	readonly sql: string;
	readonly parameters: readonly SqlValue[];
	/** By name within the attribute; `value` is the attribute itself. */
	readonly columns: Readonly<Record<string, Column>>;
}

/** By name in lower case. */
export interface Searchable {
	readonly columns: Readonly<Record<string, Column>>;
	readonly rows: Readonly<Record<string, Rows>>;
}

/** A condition with `?` for its parameters, as `Filter.add` takes it. */
export interface Condition {
	readonly sql: string;
	readonly parameters: readonly SqlValue[];
}

/** The filter has passed `checkSearchable`. Columns are never NULL. */
export function conditionOf(filter: ScimFilter, searchable: Searchable): Condition {
	if (filter.op === "and" || filter.op === "or") {
		const left = conditionOf(filter.left, searchable);
		const right = conditionOf(filter.right, searchable);
		return {
			sql: `(${left.sql} ${filter.op.toUpperCase()} ${right.sql})`,
			parameters: [...left.parameters, ...right.parameters],
		};
	}
	if (filter.op === "not") return not(conditionOf(filter.term, searchable));
	const [name = "", inner = "value"] = filter.path;
	const rows = searchable.rows[name];
	if (rows === undefined) {
		if (filter.op === "any") throw new Error(`${name} has no rows`);
		return compared(filter, searchable.columns[filter.path.join(".")]);
	}
	const own = { columns: rows.columns, rows: {} };
	if (filter.op === "any") return within(rows, conditionOf(filter.term, own));
	// No value may equal it, so `ne` is not a condition on one row.
	if (filter.op === "ne") return not(within(rows, compared({ ...filter, op: "eq" }, rows.columns[inner])));
	return within(rows, compared(filter, rows.columns[inner]));
}

function not({ sql, parameters }: Condition): Condition {
	return { sql: `NOT (${sql})`, parameters };
}

function within(rows: Rows, { sql, parameters }: Condition): Condition {
	return { sql: `${rows.sql} AND ${sql})`, parameters: [...rows.parameters, ...parameters] };
}

const OPERATORS = { eq: "=", ne: "<>", gt: ">", ge: ">=", lt: "<", le: "<=" } as const;

function compared(
	filter: Exclude<ScimFilter, { readonly op: "and" | "or" | "not" | "any" }>,
	column: Column | undefined,
): Condition {
	if (column === undefined) throw new Error(`${filter.path.join(".")} has no column`);
	const { sql, type } = column;
	if (filter.op === "pr")
		return { sql: type === "exact" || type === "text" ? `${sql} <> ''` : "1 = 1", parameters: [] };
	const { op } = filter;
	const value = cellOf(filter.value, type);
	// Not LIKE, which ignores the case of ASCII on one engine.
	if (op === "co") return { sql: `(replace(${sql}, ?, '') <> ${sql})`, parameters: [value] };
	if (op === "sw") return { sql: `(${sql} >= ? AND ${sql} < ?)`, parameters: [value, `${value}\u{10ffff}`] };
	if (op === "ew") {
		const length = [...String(value)].length;
		return {
			sql: `(length(${sql}) >= ${length} AND substr(${sql}, length(${sql}) - ${length - 1}) = ?)`,
			parameters: [value],
		};
	}
	return { sql: `${sql} ${OPERATORS[op]} ?`, parameters: [value] };
}

function cellOf(value: ScimValue, type: AttributeType): SqlValue {
	if (type === "boolean") return value === true ? 1 : 0;
	if (type === "time") return Date.parse(String(value));
	return type === "text" ? String(value).toLowerCase() : String(value);
}
