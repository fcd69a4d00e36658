// Writes schemas as JSON Schema (2020-12), for the validator, the serializer and the OpenAPI document.

import type { Schema } from "./schema.ts";

export type Json = Record<string, unknown>;

/** `inner` writes nested schemas, so that callers can add keywords or references at any depth. */
export function jsonSchema(schema: Schema<unknown>, inner: (schema: Schema<unknown>) => Json): Json {
	const { isNullable, ...written } = keywordsOf(schema, inner);
	if (isNullable === undefined) return written;
	const { type, enum: values, ...rest } = written;
	return { ...rest, type: [type, "null"], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

export function plainJsonSchema(schema: Schema<unknown>): Json {
	return jsonSchema(schema, plainJsonSchema);
}

function keywordsOf(schema: Schema<unknown>, inner: (schema: Schema<unknown>) => Json): Json {
	switch (schema.type) {
		case "text": {
			const { form: _, ...keywords } = schema;
			return { ...keywords, type: "string" };
		}
		case "choice": {
			const { type: _, values, ...notes } = schema;
			return { type: "string", enum: values, ...notes };
		}
		case "list":
			return { ...schema, type: "array", items: inner(schema.items) };
		case "object": {
			const { type, properties, required, ignored: _, ...notes } = schema;
			const written = Object.entries(properties).map(([name, field]) => [name, inner(field)]);
			const isAnyRequired = required.length > 0;
			return { type, properties: Object.fromEntries(written), ...(isAnyRequired && { required }), ...notes };
		}
		case "map": {
			const { type: _, values, ...notes } = schema;
			return { type: "object", additionalProperties: values === "any" ? true : inner(values), ...notes };
		}
		case "union": {
			const { type: _, members, ...notes } = schema;
			return { anyOf: members.map((member) => inner(member)), ...notes };
		}
		case "custom": {
			const { type: _, keywords, ...notes } = schema;
			return { ...keywords, ...notes };
		}
		case "integer":
		case "boolean":
			return { ...schema };
	}
}
