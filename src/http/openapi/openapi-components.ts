// The named parts of the OpenAPI document: schemas and other parts that several places share are written once.

import { type Json, jsonSchema } from "../describe/json-schema.ts";
import type { Schema } from "../describe/schema.ts";
import { type ExampleValues, textExamples } from "./openapi-example.ts";

export interface Reference extends Json {
	readonly $ref: string;
}

const KINDS = ["schemas", "responses", "parameters", "headers", "pathItems"] as const;
type Kind = (typeof KINDS)[number];

export interface Components {
	/**
	 * Adds a part and returns a reference to it.
	 *
	 * @throws Error if another part has the name: two schemas have the same `title`.
	 */
	add(kind: Kind, name: string, content: Json): Reference;
	/** Returns a reference to an identical part, or adds the part under the first free name. */
	share(kind: Kind, names: readonly string[], content: Json): Reference;
	readonly examples: ExampleValues;
	/** The document's `components`. */
	readonly parts: Readonly<Record<Kind, Record<string, Json>>>;
}

export function createComponents(examples: ExampleValues): Components {
	const parts = Object.fromEntries(KINDS.map((kind) => [kind, {}])) as Record<Kind, Record<string, Json>>;
	const names = new Map<string, string>();
	const refer = (kind: Kind, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` });
	const add = (kind: Kind, name: string, content: Json): Reference => {
		const text = JSON.stringify(content);
		const present = parts[kind][name];
		if (present !== undefined && JSON.stringify(present) !== text)
			throw new Error(`OpenAPI: two different ${kind} are named ${name}; give one another title`);
		parts[kind][name] = content;
		names.set(`${kind} ${text}`, name);
		return refer(kind, name);
	};
	const share = (kind: Kind, wanted: readonly string[], content: Json): Reference => {
		const present = names.get(`${kind} ${JSON.stringify(content)}`);
		if (present !== undefined) return refer(kind, present);
		return add(kind, wanted.find((name) => parts[kind][name] === undefined) ?? wanted.at(-1) ?? "", content);
	};
	return { add, share, examples, parts };
}

/** `listUsers`, `user.not_found`, `X-App-ID` → `ListUsers`, `UserNotFound`, `XAppID`. */
/** Of a response; nothing without names. */
export function headerReferences(names: readonly string[]): { readonly headers?: Json } {
	if (names.length === 0) return {};
	const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
	return { headers: Object.fromEntries(references) };
}

export function pascal(name: string): string {
	const words = name.split(/[^A-Za-z0-9]/);
	return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** Inlines responses and parameters that are referenced only once. */
export function inlineSingles<Document extends object>(document: Document, { parts }: Components): Document {
	const uses = new Map<string, number>();
	JSON.stringify(document, (key, value) => {
		if (key === "$ref") uses.set(value, (uses.get(value) ?? 0) + 1);
		return value;
	});
	const singles = new Map<string, Json>();
	for (const kind of ["responses", "parameters"] as const)
		for (const [name, part] of Object.entries(parts[kind])) {
			const address = `#/components/${kind}/${name}`;
			if ((uses.get(address) ?? 0) > 1) continue;
			singles.set(address, part);
			delete parts[kind][name];
		}
	const inlined = (value: unknown): unknown => {
		if (!isReference(value)) return value;
		const { $ref, ...own } = value;
		const single = singles.get($ref);
		return single === undefined ? value : inlined({ ...single, ...own });
	};
	return JSON.parse(JSON.stringify(document, (_key, value: unknown) => inlined(value))) as Document;
}

function isReference(value: unknown): value is Reference {
	return typeof value === "object" && value !== null && typeof (value as Json).$ref === "string";
}

/**
 * As JSON Schema, with a reference to every schema that has a `title`. Only free text has `examples`: tools derive the
 * example of an object from its fields.
 */
export function writeSchema(components: Components, schema: Schema<unknown>, name = ""): Json {
	const inner = (nested: Schema<unknown>, field: string): Json => writeSchema(components, nested, field);
	const { title, examples: _, ...rest } = jsonSchema(schema, inner, name);
	const written = { ...rest, ...textExamples(schema, components.examples, name) };
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
