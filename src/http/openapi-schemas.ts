// Writes schemas for the OpenAPI document: named ones as references.

import { type Json, jsonSchema } from "./json-schema.ts";
import { type Components, pascal, type Reference } from "./openapi-components.ts";
import type { Schema } from "./schema.ts";

/**
 * As JSON Schema, with a reference to every schema that has a `title`. Without `examples`: the bodies have examples.
 */
export function writeSchema(components: Components, schema: Schema<unknown>): Json {
	const { title, examples: _, ...written } = jsonSchema(schema, (inner) => writeSchema(components, inner));
	if (typeof title !== "string") return written;
	const { description, ...named } = written;
	if (schema.isNullable) named.type = "object";
	const reference = components.add("schemas", title, named);
	return {
		...(schema.isNullable ? { anyOf: [reference, { type: "null" }] } : reference),
		...(description !== undefined && { description }),
	};
}

/**
 * Returns a reference to the schema of a body. Its name is its `title`, the name of its record or list item with a
 * suffix (`UserPage`), or the name of the operation (`LoginBody`).
 */
export function nameSchema(
	components: Components,
	schema: Schema<unknown>,
	operation: string,
	kind: "Body" | "Response",
): Reference {
	const written = writeSchema(components, schema);
	if (typeof written.$ref === "string") return written as Reference;
	const record = recordName(schema);
	const own = `${pascal(operation)}${kind}`;
	return components.share("schemas", record === undefined ? [own] : [record, own], written);
}

/** The name for a wrapper `{ data }` of a record or a list, and for a page. */
function recordName(schema: Schema<unknown>): string | undefined {
	if (schema.type !== "object") return undefined;
	const { data, page_size } = schema.properties;
	const record = data?.type === "list" ? data.items : data;
	if (record?.type !== "object" || record.title === undefined) return undefined;
	const kind = page_size !== undefined ? "Page" : data?.type === "list" ? "List" : "Response";
	return `${record.title}${kind}`;
}
