// Makes an example of a schema: from its own examples, its limits, or the name of the field.

import type { Json } from "./openapi-components.ts";
import type { Schema } from "./schema.ts";

/** Values by the name of a field, for text and numbers whose schema has no example. */
export type ExampleValues = Readonly<Record<string, unknown>>;

const BY_FORMAT: ExampleValues = {
	uuid: "01980000-0000-7000-8000-000000000000",
	email: "ada@example.com",
	uri: "https://app.example.com",
	"uri-reference": "https://app.example.com/logo.png",
	"date-time": "2026-11-20T08:00:00.000Z",
};

/**
 * A value that fits the schema. Of several possibilities: its first `examples`, `default`, the first of an `enum`, the value by
 * name, the value of its format, the name of the field in words.
 */
export function exampleOf(schema: Schema<unknown>, values: ExampleValues, name = ""): unknown {
	const { examples, anyOf, enum: choices, type, format } = schema;
	if (Array.isArray(examples)) return examples[0];
	if (schema.default !== undefined) return schema.default;
	if (Array.isArray(choices)) return choices[0];
	if (Array.isArray(anyOf)) return exampleOf(anyOf[0], values, name);
	const [kind] = [type].flat();
	if (kind === "object") return objectExample(schema, values, name);
	if (kind === "array") return arrayExample(schema, values, name);
	if (kind === "boolean") return true;
	const value = Object.hasOwn(values, name) ? values[name] : undefined;
	if (kind === "string" && typeof value === "string") return value;
	if (kind === "string") return BY_FORMAT[String(format)] ?? words(name);
	return typeof value === "number" ? value : (schema.minimum ?? 1);
}

/** Of a body that callers send: its required fields, or its first field. */
export function requestExample(schema: Schema<unknown>, values: ExampleValues): unknown {
	const { properties, required, ...rest } = schema as Schema<unknown> & { readonly properties?: Json };
	if (schema.examples !== undefined || properties === undefined) return exampleOf(schema, values);
	const names = (required ?? Object.keys(properties).slice(0, 1)) as string[];
	const fields = names.map((name) => [name, properties[name]]);
	return exampleOf({ ...rest, properties: Object.fromEntries(fields) }, values);
}

function objectExample(schema: Schema<unknown>, values: ExampleValues, name: string): unknown {
	if (schema.properties === undefined) return values[name] ?? {};
	const example: Json = {};
	for (const [field, property] of Object.entries(schema.properties as Record<string, Schema<unknown>>))
		example[field] = exampleOf(property, values, field);
	return example;
}

/** A list has one item, named like the list without its plural `s`. */
function arrayExample(schema: Schema<unknown>, values: ExampleValues, name: string): unknown[] {
	const items = schema.items as Schema<unknown>;
	const isNamed = Array.isArray(values[name]) && items.enum === undefined && items.type === "string";
	return isNamed ? (values[name] as unknown[]) : [exampleOf(items, values, name.replace(/s$/, ""))];
}

function words(name: string): string {
	const text = name.replaceAll("_", " ");
	return text.charAt(0).toUpperCase() + text.slice(1);
}
