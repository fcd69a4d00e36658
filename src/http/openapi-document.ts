// Finishes the OpenAPI document: removes keywords that only our validator knows, and moves named schemas to components.

import { ASSIGNED_FIELDS, TEXT_FORMS } from "./validation.ts";

export const OPEN_API_PATH = "/openapi.json";

/** Field descriptions state their meaning for callers. */
const INTERNAL_KEYWORDS = new Set([ASSIGNED_FIELDS, ...Object.keys(TEXT_FORMS)]);

type Json = Record<string, unknown>;

interface Operation {
	requestBody?: { required?: boolean; content: Record<string, { schema?: Json }> };
}

/**
 * Moves schemas with a `title` to `components/schemas` under that name. Marks a body as required only if one of its
 * fields is. Changes the document in place and returns it.
 */
export function finishDocument<Document extends object>(document: Document): Document {
	const { paths = {}, components = {} } = document as {
		paths?: Record<string, Record<string, Operation>>;
		components?: Json;
	};
	const schemas: Record<string, unknown> = {};
	for (const path of Object.values(paths)) {
		for (const operation of Object.values(path)) {
			const { requestBody } = operation;
			const body = Object.values(requestBody?.content ?? {})[0]?.schema;
			if (requestBody !== undefined && body?.required === undefined) delete requestBody.required;
		}
	}
	Object.assign(document, { paths: tidy(paths, schemas), components: { ...components, schemas } });
	return document;
}

function tidy(value: unknown, schemas: Record<string, unknown>): unknown {
	if (Array.isArray(value)) return value.map((item) => tidy(item, schemas));
	if (typeof value !== "object" || value === null) return value;
	const kept: Json = {};
	for (const [key, inner] of Object.entries(value)) {
		if (!INTERNAL_KEYWORDS.has(key)) kept[key] = tidy(inner, schemas);
	}
	if (kept.type !== "object" || typeof kept.title !== "string") return kept;
	schemas[kept.title] = kept;
	return { $ref: `#/components/schemas/${kept.title}` };
}
