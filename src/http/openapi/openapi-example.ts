// Creates an example value for a schema from its own examples, its limits, or the name of the field.

import type { Json } from "../describe/json-schema.ts";
import type { ObjectSchema, Schema } from "../describe/schema.ts";

/** Values by field name, for text and numbers whose schema has no example. */
export type ExampleValues = Readonly<Record<string, unknown>>;

const BY_FORMAT: ExampleValues = {
	uuid: "01980000-0000-7000-8000-000000000000",
	email: "ada@example.com",
	uri: "https://app.example.com",
	"uri-reference": "https://app.example.com/logo.png",
	"date-time": "2026-11-20T08:00:00.000Z",
};

/**
 * A value that fits the schema: the first of its `examples`, its `default`, its first choice, the value for the field's
 * name or format, or the name of the field in words.
 */
export function exampleOf(schema: Schema<unknown>, values: ExampleValues, name = ""): unknown {
	if (schema.examples !== undefined) return schema.examples[0];
	const value = Object.hasOwn(values, name) ? values[name] : undefined;
	switch (schema.type) {
		case "text":
			// A name such as `client_id` has an example from OAuth, which is not a UUID.
			return typeof value === "string" && schema.format !== "uuid"
				? value
				: (BY_FORMAT[schema.format ?? ""] ?? words(name));
		case "choice":
			return schema.values[0];
		case "integer":
			return schema.default ?? (typeof value === "number" ? value : (schema.minimum ?? 1));
		case "boolean":
			return true;
		case "list":
			return listExample(schema.items, values, name);
		case "object":
			return objectExample(Object.entries(schema.properties), values);
		case "map":
			return value ?? {};
		case "union":
			return schema.members[0] && exampleOf(schema.members[0], values, name);
		case "custom":
			return undefined;
	}
}

/**
 * The `examples` of free text that has one, for generated examples of objects. Tools know a value for each format.
 * @param name of the field, or of the list that contains the text
 */
export function textExamples(schema: Schema<unknown>, values: ExampleValues, name: string): Json {
	if (schema.type !== "text" || (schema.format ?? "") in BY_FORMAT) return {};
	if (schema.examples !== undefined) return { examples: schema.examples.slice(0, 1) };
	const value = Object.hasOwn(values, name) ? [values[name]].flat()[0] : undefined;
	return typeof value === "string" ? { examples: [value] } : {};
}

/**
 * The example of a request body: its required fields and those in `also`, which the endpoint needs too, or its first
 * field if there is none.
 */
export function requestExample(
	schema: ObjectSchema<unknown>,
	values: ExampleValues,
	also: readonly string[] = [],
): unknown {
	if (schema.examples !== undefined) return schema.examples[0];
	const fields = Object.entries(schema.properties);
	const required = fields.filter(([name]) => schema.required.includes(name) || also.includes(name));
	return objectExample(required.length > 0 ? required : fields.slice(0, 1), values);
}

function objectExample(fields: readonly [string, Schema<unknown>][], values: ExampleValues): unknown {
	return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, values, name)]));
}

/** A list has one item, named like the list without its plural `s`. */
function listExample(items: Schema<unknown>, values: ExampleValues, name: string): unknown {
	const value = values[name];
	return items.type === "text" && Array.isArray(value)
		? value
		: [exampleOf(items, values, name.replace(/s$/, ""))];
}

function words(name: string): string {
	const text = name.replaceAll("_", " ");
	return text.charAt(0).toUpperCase() + text.slice(1);
}
