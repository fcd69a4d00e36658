// Derives the SELECT list, parameters, conditions, and row mapping of a table from its columns.

import { folded } from "../../kernel/folded.ts";
import { type Column, type Columns, columnName, type FoldedColumn } from "./column.ts";
import type { SqlValue } from "./queries.ts";

type ValueOf<One> = One extends Column<infer V> ? V : never;

/** A row in the form that stores use. */
export type RowOf<C extends Columns> = {
	readonly [Field in keyof C as C[Field] extends FoldedColumn ? never : Field]: ValueOf<C[Field]>;
};

/** Fields that identify a row and never change. */
type Fixed = "id" | "tenantId";

/** Fields to change; undefined means unchanged. */
export type ChangesOf<C extends Columns> = {
	readonly [Field in keyof C]?: Field extends Fixed ? undefined : ValueOf<C[Field]> | undefined;
};

/** Finds rows whose number or time differs from a value in this direction, and none with NULL. */
class Comparison {
	readonly operator: ">" | "<" | "<=";
	readonly value: number;

	constructor(operator: Comparison["operator"], value: number) {
		this.operator = operator;
		this.value = value;
	}
}

export const after = (value: number): Comparison => new Comparison(">", value);
export const before = (value: number): Comparison => new Comparison("<", value);
export const upTo = (value: number): Comparison => new Comparison("<=", value);

/** Values that rows must have in these fields; null finds NULL: `{ userId, expiresAtMs: after(nowMs) }`. */
export type ValuesOf<C extends Columns> = {
	readonly [Field in keyof C]?:
		| ValueOf<C[Field]>
		| (number extends NonNullable<ValueOf<C[Field]>> ? Comparison : never);
};

/** SQL with the values of its parameters `$1`, `$2` … */
export interface Bound {
	readonly sql: string;
	readonly values: readonly SqlValue[];
}

export interface Field {
	readonly field: string;
	readonly column: string;
	readonly description: Column<unknown>;
}

/** `Chosen` are the columns that are read and inserted; conditions and changes may name any column. */
export class TableColumns<Chosen extends Columns, All extends Columns> {
	readonly fields: readonly Field[];
	/** Those that rows contain. */
	readonly readable: readonly Field[];
	/** SELECT list: each column under the name of its field. */
	readonly list: string;
	/** The column list of an INSERT. */
	readonly names: string;
	/** Columns of the primary key. */
	readonly key: readonly string[];
	readonly prefix: string;
	readonly #all: readonly Field[];
	readonly #converted: readonly { readonly field: string; readonly read: (stored: SqlValue) => unknown }[];

	constructor(chosen: Chosen, all: All, prefix: string) {
		this.fields = toFields(chosen);
		this.readable = this.fields.filter(({ description }) => description.source === undefined);
		this.list = this.readable.map(({ field, column }) => `${prefix}${column} AS "${field}"`).join(", ");
		this.names = this.fields.map(({ column }) => column).join(", ");
		this.prefix = prefix;
		this.#all = toFields(all);
		this.key = this.#all.filter(({ description }) => description.isKey).map(({ column }) => column);
		this.#converted = this.fields.flatMap(({ field, description: { read } }) =>
			read ? [{ field, read }] : [],
		);
	}

	/** Converts the row in place. */
	convert(row: object): RowOf<Chosen> {
		const values = row as Record<string, unknown>;
		for (const { field, read } of this.#converted) values[field] = read(values[field] as SqlValue);
		return values as RowOf<Chosen>;
	}

	cells(row: RowOf<Chosen>): SqlValue[] {
		return this.fields.map((field) => cellIn(row, field));
	}

	/** The parameters of an INSERT from `$first` on. Cast them in a SELECT, where a bare parameter has no type. */
	parameters(cast: boolean, first = 1): string {
		return this.fields
			.map(({ description: { type } }, index) => {
				const parameter = `$${first + index}`;
				return cast ? `CAST(${parameter} AS ${type})` : parameter;
			})
			.join(", ");
	}

	/** Replaces `{field}` with the parameter of that field, and `{0}`, `{1}` … with the parameters after all fields. */
	place(clause: string): string {
		return clause.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
			const index = this.fields.findIndex(({ field }) => field === name);
			return `$${index < 0 ? this.fields.length + Number(name) + 1 : index + 1}`;
		});
	}

	/**
	 * `name = $3, status = $4`, without undefined fields. `first` is the number of the first parameter.
	 *
	 * @throws Error for the tenant and for columns of the primary key.
	 */
	assignments(changes: ChangesOf<All>, first: number): Bound {
		const values: Row = changes;
		const changed = this.#all.filter(
			({ field, description: { source = field } }) => values[source] !== undefined,
		);
		const fixed = changed.find(({ column }) => column === "tenant_id" || this.key.includes(column));
		if (fixed !== undefined) throw new Error(`the column ${fixed.column} cannot be changed`);
		return {
			sql: changed.map(({ column }, index) => `${column} = $${first + index}`).join(", "),
			values: changed.map((field) => cellIn(values, field)),
		};
	}

	/** @throws TypeError without any value or for an undefined one, which would select unintended rows. */
	condition(required: ValuesOf<All>): Bound {
		const conditions: string[] = [];
		const values: SqlValue[] = [];
		for (const [name, value] of Object.entries(required)) {
			const named = this.#all.find(({ field }) => field === name);
			if (named === undefined || value === undefined) throw new TypeError(`${name} has no value`);
			const isCompared = value instanceof Comparison;
			const cell = isCompared ? value.value : cellOf(named.description, value);
			if (cell !== null) values.push(cell);
			const operator = isCompared ? value.operator : "=";
			conditions.push(
				`${this.prefix}${named.column} ${cell === null ? "IS NULL" : `${operator} $${values.length}`}`,
			);
		}
		if (conditions.length === 0) throw new TypeError("a condition needs a value");
		return { sql: conditions.join(" AND "), values };
	}
}

function toFields(columns: Columns): Field[] {
	return Object.entries(columns).map(([field, description]) => ({
		field,
		column: columnName(field, description),
		description,
	}));
}

type Row = Readonly<Record<string, unknown>>;

function cellIn(row: Row, { field, description }: Field): SqlValue {
	const { source } = description;
	return source === undefined ? cellOf(description, row[field]) : folded(row[source] as string);
}

function cellOf(column: Column<unknown>, value: unknown): SqlValue {
	return column.write === undefined ? (value as SqlValue) : column.write(value);
}
