// Writes schemas as JSON Schema (2020-12), for the validator, the serializer and the OpenAPI document.

import type { Schema } from "./schema.ts";

export type Json = Record<string, unknown>;

/** Writes a nested schema. @param name of the field; items of a list have the name of the list. */
type WriteInner = (schema: Schema<unknown>, name: string) => Json;

/** `inner` writes nested schemas, so that callers can add keywords or references at any depth. */
export function jsonSchema(schema: Schema<unknown>, inner: WriteInner, name = ""): Json {
	const { isNullable, ...written } = keywordsOf(schema, inner, name);
	if (isNullable === undefined) return written;
	const { type, enum: values, ...rest } = written;
	return { ...rest, type: [type, "null"], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

export function plainJsonSchema(schema: Schema<unknown>): Json {
	return jsonSchema(schema, (nested) => plainJsonSchema(nested));
}

function keywordsOf(schema: Schema<unknown>, inner: WriteInner, ownName: string): Json {
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
			return { ...schema, type: "array", items: inner(schema.items, ownName) };
		case "object": {
			const { type, properties, required, ignored: _, ...notes } = schema;
			const written = Object.entries(properties).map(([name, field]) => [name, inner(field, name)]);
			const isAnyRequired = required.length > 0;
			return { type, properties: Object.fromEntries(written), ...(isAnyRequired && { required }), ...notes };
		}
		case "map": {
			const { type: _, values, ...notes } = schema;
			return {
				type: "object",
				additionalProperties: values === "any" ? true : inner(values, ownName),
				...notes,
			};
		}
		case "union": {
			const { type: _, members, ...notes } = schema;
			return { anyOf: members.map((member) => inner(member, ownName)), ...notes };
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
