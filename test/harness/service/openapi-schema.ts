// Reads the OpenAPI document of a service, and resolves references in its schemas.

interface CallingService {
	call(method: "GET", path: string): Promise<{ readonly body: unknown }>;
}

export async function readApi<Document extends object>(service: CallingService): Promise<Document> {
	return (await service.call("GET", "/openapi.json")).body as Document;
}

type Json = Readonly<Record<string, unknown>>;

export interface WholeSchema extends Json {
	readonly properties: Readonly<Record<string, Json>>;
	readonly required: readonly string[];
}

/** The schema with `$ref` resolved at its top level and that of its fields. */
export function wholeSchema(document: object, schema: unknown): WholeSchema {
	const whole = followed(document, schema);
	const fields = Object.entries(whole.properties ?? {}).map(([name, field]) => [
		name,
		followed(document, field),
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
