// Converts objects between the domain and the wire by the fields of a schema: `expiresAtMs` ↔ `expires_at`.

import { isoTime } from "../../kernel/clock.ts";
import type { ObjectSchema, TimeMark } from "./schema.ts";

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
	? `${Head}${Capitalize<Camel<Tail>>}`
	: Name;
type FieldOf<Name extends string, Value> = TimeMark extends keyof NonNullable<Value>
	? `${Camel<Name>}Ms`
	: Camel<Name>;
type ValueOf<Value> = Value extends readonly (infer Item)[]
	? readonly Item[]
	: TimeMark extends keyof Value
		? number
		: Value;

/** The object of the domain with the wire form `Wire`: fields in camelCase, times in milliseconds under `…Ms`. */
export type DomainOf<Wire> = {
	readonly [Name in keyof Wire as Name extends string ? FieldOf<Name, Wire[Name]> : never]: ValueOf<
		Wire[Name]
	>;
};

interface Member {
	/** On the wire. */
	readonly name: string;
	/** In the domain. */
	readonly field: string;
	readonly isTime: boolean;
}

/** Converts from the domain to the wire, with exactly the fields of the schema. */
export function toWire<Wire>(schema: ObjectSchema<Wire>): (domain: DomainOf<Wire>) => Wire {
	const members = membersOf(schema);
	return (domain) => {
		const wire: Record<string, unknown> = {};
		for (const { name, field, isTime } of members) {
			const value = (domain as Record<string, unknown>)[field];
			if (value !== undefined) wire[name] = isTime && typeof value === "number" ? isoTime(value) : value;
		}
		return wire as Wire;
	};
}

/** Converts a valid body to the domain. Absent fields stay absent. */
export function fromWire<Wire>(schema: ObjectSchema<Wire>): (body: Wire) => DomainOf<Wire> {
	const members = membersOf(schema);
	return (body) => {
		const domain: Record<string, unknown> = {};
		for (const { name, field, isTime } of members) {
			const value = (body as Record<string, unknown>)[name];
			if (value !== undefined)
				domain[field] = isTime && typeof value === "string" ? Date.parse(value) : value;
		}
		return domain as DomainOf<Wire>;
	};
}

function membersOf({ properties }: ObjectSchema<unknown>): Member[] {
	return Object.entries(properties).map(([name, schema]) => {
		const isTime = schema.type === "text" && schema.format === "date-time";
		const field = name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
		return { name, field: isTime ? `${field}Ms` : field, isTime };
	});
}
