// Prepares the API's JSON Schemas for display: resolves references, names types and limits, generates examples.

import type { OpenApi, Schema } from "./openapi.ts";

/** Schemas may contain themselves. */
export const DEPTH_MAX = 6;

interface Referring {
	readonly $ref?: string;
}

/** `part` with its references resolved; siblings of a reference take precedence. */
export function follow<Part extends Referring>(spec: OpenApi, part: Part, hops = 0): Part {
	if (typeof part.$ref !== "string" || hops > DEPTH_MAX) return part;
	const keys = part.$ref.replace(/^#\//, "").split("/");
	const target = keys.reduce<unknown>(
		(at, key) =>
			(at as Record<string, unknown> | undefined)?.[key.replaceAll("~1", "/").replaceAll("~0", "~")],
		spec,
	) as Part | undefined;
	const { $ref: _, ...beside } = part;
	return follow(spec, { ...target, ...beside } as Part, hops + 1);
}

/** `schema` with its references resolved. */
export function resolve(spec: OpenApi, schema: Schema | undefined): Schema {
	return schema === undefined ? {} : follow(spec, schema);
}

/** The item schema of a list, including nested lists; other schemas unchanged. */
export function itemsOf(spec: OpenApi, schema: Schema): Schema {
	return schema.items === undefined ? schema : itemsOf(spec, resolve(spec, schema.items));
}

interface TypeWords {
	readonly or: string;
	readonly any: string;
	readonly object: string;
	readonly listOf: (type: string) => string;
}

export function typeName(spec: OpenApi, schema: Schema, words: TypeWords, depth = 0): string {
	const choices = schema.oneOf ?? schema.anyOf;
	if (choices !== undefined && depth < DEPTH_MAX) {
		const names = choices.map((choice) => typeName(spec, resolve(spec, choice), words, depth + 1));
		return [...new Set(names)].join(words.or);
	}
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	const guessed = schema.properties ? "object" : schema.enum ? "string" : undefined;
	return [schema.type ?? guessed]
		.flat()
		.map((name) => {
			if (name === undefined) return words.any;
			if (name === "object") return words.object;
			if (name === "array" && depth < DEPTH_MAX)
				return words.listOf(typeName(spec, resolve(spec, schema.items), words, depth + 1));
			return name === "string" && schema.format !== undefined ? `string (${schema.format})` : String(name);
		})
		.join(words.or);
}

/** An example value for the schema: a starting point, not a valid request. @param name of the field */
export function exampleOf(spec: OpenApi, schema: Schema | undefined, depth = 0, name = ""): unknown {
	const whole = resolve(spec, schema);
	const known = whole.examples?.[0] ?? whole.example ?? whole.default ?? whole.const ?? whole.enum?.[0];
	if (known !== undefined) return known;
	if (depth > DEPTH_MAX) return null;
	const choice = (whole.oneOf ?? whole.anyOf)?.[0];
	if (choice !== undefined) return exampleOf(spec, choice, depth + 1, name);
	const type = [whole.type].flat().find((name) => name !== "null");
	if (type === "array") return [exampleOf(spec, whole.items, depth + 1, name)];
	if (type === "object" || whole.properties !== undefined) {
		const fields = Object.entries(whole.properties ?? {});
		return Object.fromEntries(fields.map(([each, field]) => [each, exampleOf(spec, field, depth + 1, each)]));
	}
	if (type === "integer" || type === "number") return whole.minimum ?? 0;
	if (type === "boolean") return false;
	return TEXT_EXAMPLES[whole.format ?? ""] ?? inWords(name);
}

/** `to_address` → `To address`. */
function inWords(name: string): string {
	const words = name.replaceAll("_", " ");
	return words === "" ? "…" : words.charAt(0).toUpperCase() + words.slice(1);
}

const TEXT_EXAMPLES: Readonly<Record<string, string>> = {
	uuid: "01980000-0000-7000-8000-000000000000",
	email: "ada@example.com",
	uri: "https://example.com",
	"uri-reference": "https://example.com/logo.png",
	"date-time": "2026-11-20T08:00:00.000Z",
};

/** The names of all fields of a schema, nested ones too. */
export function fieldNames(spec: OpenApi, schema: Schema | undefined, into = new Set<string>(), depth = 0) {
	const whole = itemsOf(spec, resolve(spec, schema));
	if (depth >= DEPTH_MAX) return into;
	for (const choice of whole.oneOf ?? whole.anyOf ?? []) fieldNames(spec, choice, into, depth + 1);
	for (const [name, field] of Object.entries(whole.properties ?? {})) {
		into.add(name);
		fieldNames(spec, field, into, depth + 1);
	}
	return into;
}
