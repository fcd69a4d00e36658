// Writes schemas of the toolkit as schemas of the OpenAPI document: named ones as references.

import { type Components, type Json, pascal, type Reference } from "./openapi-components.ts";
import type { Schema } from "./schema.ts";
import { ASSIGNED_FIELDS, TEXT_FORMS } from "./validation.ts";

/** Keywords that only our validator knows, and examples, which the bodies have. */
const INTERNAL_KEYWORDS = new Set([ASSIGNED_FIELDS, "examples", ...Object.keys(TEXT_FORMS)]);

/** The schema with a reference for every schema that has a `title`. */
export function writeSchema(components: Components, schema: Schema<unknown>): Json {
	return write(components, schema) as Json;
}

/**
 * Refers to the schema of a body, which gets a name: its `title`, or the name of its record or list item and what it
 * is (`UserPage`), or that of the operation (`LoginBody`) unless another operation has the same.
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

/** Of the wrappers `{ data }`, with a record or a list, and of pages. */
function recordName({ properties }: Schema<unknown>): string | undefined {
	const { data, page_size } = (properties ?? {}) as Record<string, Schema<unknown>>;
	const { title } = (data?.items ?? data ?? {}) as Schema<unknown>;
	if (typeof title !== "string") return undefined;
	const kind = page_size !== undefined ? "Page" : data?.items !== undefined ? "List" : "Response";
	return `${title}${kind}`;
}

function write(components: Components, value: unknown): unknown {
	if (Array.isArray(value)) return value.map((item) => write(components, item));
	if (typeof value !== "object" || value === null) return value;
	const { title, ...rest } = value as Json;
	const written: Json = {};
	for (const [key, inner] of Object.entries(rest)) {
		// Bodies may carry the assigned fields of a record; see `bodySchemaOf`.
		if (key === "additionalProperties" && inner === false) continue;
		if (key === "properties") written[key] = writeProperties(components, inner as Json);
		else if (!INTERNAL_KEYWORDS.has(key)) written[key] = key === "enum" ? inner : write(components, inner);
	}
	if (typeof title !== "string") return written;
	const { description, ...named } = written;
	const isNullable = Array.isArray(named.type);
	if (isNullable) named.type = (named.type as string[])[0];
	const reference = components.add("schemas", title, named);
	return {
		...(isNullable ? { anyOf: [reference, { type: "null" }] } : reference),
		...(description === undefined ? {} : { description }),
	};
}

/** The names of fields are no keywords: a field may be called `examples`. */
function writeProperties(components: Components, properties: Json): Json {
	const fields = Object.entries(properties).map(([name, field]) => [name, write(components, field)]);
	return Object.fromEntries(fields);
}
