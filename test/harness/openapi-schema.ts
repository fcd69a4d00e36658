// Reads the OpenAPI documents of a service, and their schemas: resolves references and merges `allOf`.

import { API_DOCUMENTS, merged as mergeDocuments, type OpenApi } from "../../pages/docs/openapi.ts";

interface CallingService {
	call(method: "GET", path: string): Promise<{ readonly body: unknown }>;
}

/** The served documents in one, as `/docs` reads them. */
export async function readApi<Document extends object>(service: CallingService): Promise<Document> {
	const documents = await Promise.all(API_DOCUMENTS.map((path) => service.call("GET", path)));
	return mergeDocuments(documents.map(({ body }) => body as OpenApi)) as Document;
}

type Json = Readonly<Record<string, unknown>>;

export interface WholeSchema extends Json {
	readonly properties: Readonly<Record<string, Json>>;
	readonly required: readonly string[];
}

/** The schema with `$ref` and `allOf` resolved at its top level and that of its fields. */
export function wholeSchema(document: object, schema: unknown): WholeSchema {
	const whole = merged(document, schema);
	const fields = Object.entries(whole.properties ?? {}).map(([name, field]) => [
		name,
		merged(document, field),
	]);
	return { ...whole, properties: Object.fromEntries(fields), required: (whole.required ?? []) as string[] };
}

/** The target of a `$ref`, or the value itself. */
export function followed(document: object, value: unknown): Json {
	const { $ref, ...own } = value as Json;
	if (typeof $ref !== "string") return own;
	const path = $ref.slice(2).split("/");
	const target = path.reduce<unknown>((at, key) => (at as Json)[key.replaceAll("~1", "/")], document);
	return { ...followed(document, target), ...own };
}

function merged(document: object, schema: unknown): Json {
	const { allOf, ...whole } = followed(document, schema);
	if (!Array.isArray(allOf)) return whole;
	const parts = [...allOf.map((part) => merged(document, part)), whole];
	return {
		...Object.assign({}, ...parts),
		properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
		required: parts.flatMap(({ required }) => (required ?? []) as string[]),
	};
}
