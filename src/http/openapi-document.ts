// The last touch on the OpenAPI document: what only our validator understands is taken out, what is named is named once.

/** Keywords of `validation.ts` that bring text to its canonical form; the description says what they mean for a caller. */
const INTERNAL_KEYWORDS = new Set([
	"exactText",
	"cleanText",
	"emailAddress",
	"uuidText",
	"isoTime",
	"webUrl",
]);

type Json = Record<string, unknown>;

interface Operation {
	requestBody?: { required?: boolean; content: Record<string, { schema?: Json }> };
}

/**
 * Schemas with a `title` move to `components/schemas` under that name. A body is required only where a field of it is.
 * The document is changed in place and given back.
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
