// Shortens the OpenAPI document: writes an object that has all fields of another object as an extension of it, and a
// field that several objects have as one schema.

import type { Json } from "./json-schema.ts";

/** Fewer fields are not worth a reference. */
const FIELDS_MIN = 3;

interface NamedObject {
	readonly name: string;
	readonly schema: Json;
	/** The schema of each field as text. */
	readonly fields: ReadonlyMap<string, string>;
	readonly required: readonly string[];
}

/** Changes `schemas`, the named schemas of a document, in place. */
export function extendSchemas(schemas: Record<string, Json>): void {
	const objects = Object.entries(schemas).filter(([, { properties }]) => properties !== undefined);
	const named = objects.map(([name, schema]) => describeObject(name, schema));
	const largest = named.toSorted((a, b) => b.fields.size - a.fields.size);
	for (const whole of named) {
		const base = largest.find((other) => isExtended(whole, other));
		if (base !== undefined) schemas[whole.name] = extended(whole, base);
	}
}

/** Changes `schemas` in place: a field that repeats becomes the schema `field.<name>` if that is shorter. */
export function shareFields(schemas: Record<string, Json>): void {
	const uses = new Map<string, Place[]>();
	for (const place of placesOf(Object.values(schemas))) {
		const text = JSON.stringify(place.fields[place.name]);
		uses.set(text, [...(uses.get(text) ?? []), place]);
	}
	for (const [text, places] of uses) {
		const [first] = places;
		if (first === undefined) continue;
		const name = freeName(schemas, `field.${first.name}`);
		const referring = `{"$ref":"#/components/schemas/${name}"}`.length;
		if (places.length * (text.length - referring) <= text.length + name.length) continue;
		for (const { fields, name: field } of places) fields[field] = { $ref: `#/components/schemas/${name}` };
		schemas[name] = JSON.parse(text) as Json;
	}
}

interface Place {
	/** The `properties` of an object. */
	readonly fields: Json;
	readonly name: string;
}

/** The fields of objects and of their extensions, without nested ones. */
function* placesOf(schemas: readonly unknown[]): Iterable<Place> {
	for (const schema of schemas as Json[]) {
		const fields = (schema.properties ?? {}) as Json;
		for (const name of Object.keys(fields)) yield { fields, name };
		if (Array.isArray(schema.allOf)) yield* placesOf(schema.allOf);
	}
}

function freeName(schemas: Record<string, Json>, wanted: string): string {
	let name = wanted;
	for (let next = 2; schemas[name] !== undefined; next++) name = `${wanted}.${next}`;
	return name;
}

function describeObject(name: string, schema: Json): NamedObject {
	const fields = Object.entries(schema.properties as Json).map(
		([field, property]) => [field, JSON.stringify(property)] as const,
	);
	return { name, schema, fields: new Map(fields), required: (schema.required ?? []) as string[] };
}

/** Of two objects with the same fields, the one with fewer required fields is the base. */
function isExtended(whole: NamedObject, base: NamedObject): boolean {
	const isLarger = whole.fields.size > base.fields.size || whole.required.length > base.required.length;
	return (
		isLarger &&
		base.fields.size >= FIELDS_MIN &&
		[...base.fields].every(([field, text]) => whole.fields.get(field) === text) &&
		base.required.every((field) => whole.required.includes(field))
	);
}

function extended({ schema, required }: NamedObject, base: NamedObject): Json {
	const { properties, required: _, type, ...notes } = schema;
	const own = Object.entries(properties as Json).filter(([field]) => !base.fields.has(field));
	const missing = required.filter((field) => !base.required.includes(field));
	const rest = {
		...(own.length === 0 ? {} : { type, properties: Object.fromEntries(own) }),
		...(missing.length === 0 ? {} : { required: missing }),
	};
	return { ...notes, allOf: [{ $ref: `#/components/schemas/${base.name}` }, rest] };
}
