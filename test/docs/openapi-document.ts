// The OpenAPI document for tests, built from the map of routes without a service.

import { API_DESCRIPTION } from "../../src/app/api-description.ts";
import { openApiDocument } from "../../src/http/openapi/openapi.ts";
import { describeMap } from "../harness/service/routes.ts";

type Json = Readonly<Record<string, unknown>>;

export interface Content {
	readonly schema: Json;
	readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Operation {
	readonly operationId: string;
	readonly tags: readonly string[];
	readonly parameters?: readonly unknown[];
	readonly security: readonly Json[];
	readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
	readonly responses: Readonly<Record<string, unknown>>;
}

export interface OpenApiDocument {
	readonly openapi: string;
	readonly info: { readonly contact: { readonly name: string; readonly url: string } };
	readonly tags: readonly { readonly name: string; readonly description: string }[];
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly webhooks: Readonly<Record<string, Json & { readonly $ref: string }>>;
	readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

export async function describeApi(): Promise<OpenApiDocument> {
	const { api: routes, oauth: mounts } = describeMap();
	const service = { version: "0.0.0", publicUrl: "https://auth.acme.test", about: API_DESCRIPTION };
	return openApiDocument({ ...service, routes, mounts }) as unknown as OpenApiDocument;
}

/** Every operation with its name: `GET /health`. */
export function operationsOf({ paths }: OpenApiDocument): (readonly [string, Operation])[] {
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(
			([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
		),
	);
}
