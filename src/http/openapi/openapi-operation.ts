// Describes one route as an operation of the OpenAPI document.

import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from "../../kernel/page.ts";
import type { EndpointResponse } from "../describe/endpoint.ts";
import type { HeaderParameter, Route } from "../describe/guard.ts";
import type { Json } from "../describe/json-schema.ts";
import { bodySchemaOf } from "../describe/known-names.ts";
import { integer, type ObjectSchema, plain, type Schema } from "../describe/schema.ts";
import { SESSION_HEADER } from "../run/browser-session.ts";
import { isPaged } from "../run/handler.ts";
import {
	type Components,
	headerReferences,
	nameSchema,
	pascal,
	type Reference,
	writeSchema,
} from "./openapi-components.ts";
import { errorResponses } from "./openapi-errors.ts";
import { exampleOf, requestExample } from "./openapi-example.ts";

export interface OperationContext {
	readonly components: Components;
	readonly sentFields: Readonly<Record<string, readonly string[]>>;
	readonly routes: readonly Route[];
}

const REQUEST_ID: HeaderParameter = {
	isRequired: false,
	schema: plain({
		description: "A request id that the caller chooses. The response repeats it.",
		examples: ["req-1"],
	}),
};

const IF_MATCH: HeaderParameter = {
	isRequired: false,
	schema: plain({
		description:
			"The `ETag` of the record as you read it. If it changed since, nothing is written, and the response is 412.",
		examples: ['"Zx3sA9vQkM0t2bWcYd7h1Q"'],
	}),
};

export function operationOf(context: OperationContext, route: Route): Json {
	const { endpoint, guard } = route;
	const parameters = parametersOf(context, route);
	const body = bodySchemaOf(route, context.routes);
	return {
		operationId: endpoint.name,
		summary: endpoint.summary,
		description: [endpoint.description, `Allowed: ${guard.allows}.`].filter(Boolean).join("\n\n"),
		tags: [route.tag],
		security: securityOf(route),
		...(parameters.length === 0 ? {} : { parameters }),
		...(body === undefined ? {} : { requestBody: requestBody(context, endpoint.name, body) }),
		...(endpoint.file === undefined
			? {}
			: { requestBody: { required: true, content: { [endpoint.file]: {} } } }),
		responses: {
			...successes(context, route),
			...errorResponses(context.components, route),
			...ownUnavailable(context, route),
		},
	};
}

/** A body is required only if one of its fields is. */
function requestBody(context: OperationContext, operation: string, body: ObjectSchema<unknown>): Json {
	return {
		...(body.required.length > 0 && { required: true }),
		content: {
			"application/json": {
				schema: nameSchema(context.components, body, operation, "Body"),
				examples: {
					example: {
						value: requestExample(body, context.components.examples, context.sentFields[operation]),
					},
				},
			},
		},
	};
}

/** OpenAPI 3.1: binary content has no schema. */
function successes(context: OperationContext, route: Route): Record<string, Json> {
	const { endpoint } = route;
	const { response } = endpoint;
	const headers = headersOf(route);
	const responses: Record<string, Json> = {
		[response.status]: success(context, endpoint.name, response, headers),
	};
	if (response.orEmpty !== undefined) responses[204] = { description: response.orEmpty };
	if (response.orCreated !== undefined) {
		const created = { ...response, description: response.orCreated };
		responses[201] = success(context, endpoint.name, created, headers);
	}
	return responses;
}

/** The headers of a success: the target of a redirect, the cookie of a session, and the version of a record. */
function headersOf({ endpoint: { response, session }, version }: Route): Json {
	const names = [
		...(response.status === 303 ? ["Location"] : []),
		...(session === undefined ? [] : ["Set-Cookie"]),
		...(version === undefined || response.schema === undefined ? [] : ["ETag"]),
	];
	return headerReferences(names);
}

/** A shared response, with the description of this operation. */
function success(
	{ components }: OperationContext,
	operation: string,
	response: EndpointResponse<unknown>,
	headers: Json = {},
): Json {
	const { description, schema, mediaTypes } = response;
	if (schema === undefined) {
		return { description, ...headers };
	}
	if (mediaTypes !== undefined) {
		const content = mediaTypes.map((mediaType) => [mediaType, { schema: { type: "string" }, example: "…" }]);
		return { description, content: Object.fromEntries(content) };
	}
	const reference = nameSchema(components, schema, operation, "Response");
	const name = reference.$ref.slice(reference.$ref.lastIndexOf("/") + 1);
	const content = {
		"application/json": { schema: reference },
		...(response.csv && { "text/csv": { schema: { type: "string" }, example: response.csv.columns.join() } }),
	};
	const shared = { description: name, ...headers, content };
	return { ...components.share("responses", [name, pascal(operation)], shared), description };
}

/** The 503 of a response with several statuses has the body of the 200 instead of an error. */
function ownUnavailable(context: OperationContext, { endpoint }: Route): Record<string, Json> {
	const { response, name } = endpoint;
	const { statusOf, orEmpty, orCreated, status } = response;
	if (statusOf === undefined || orEmpty !== undefined || orCreated !== undefined || status !== 200) return {};
	return {
		503: success(context, name, { ...response, description: "A required dependency is unavailable." }),
	};
}

function parametersOf(context: OperationContext, route: Route): Reference[] {
	const { endpoint, guard } = route;
	const path = (name: string, code: string, schema: Schema<unknown>, description: string): Reference =>
		parameter(context, [pascal(`${nounOf(code)} ${name}`), pascal(`${endpoint.name} ${name}`)], {
			name,
			in: "path",
			required: true,
			description,
			schema,
		});
	const headers = {
		...guard.headers,
		...(endpoint.session === undefined ? {} : SESSION_HEADER),
		...(route.version === undefined || route.method === "GET" ? {} : { "If-Match": IF_MATCH }),
		...(endpoint.callerNamesRequest ? { "X-Request-Id": REQUEST_ID } : {}),
	};
	return [
		...Object.entries(endpoint.ids).map(([name, code]) =>
			path(name, code, plain({ format: "uuid" }), `The id of the ${nounOf(code)}.`),
		),
		...Object.entries(endpoint.names).map(([name, { pattern, code }]) =>
			path(name, code, plain({ pattern: pattern.source }), `The ${name} of the ${nounOf(code)}.`),
		),
		...Object.entries(queryOf(endpoint)).map(([name, schema]) =>
			parameter(context, [pascal(name), pascal(`${endpoint.name} ${name}`)], { name, in: "query", schema }),
		),
		...Object.entries(headers).map(([name, { schema, isRequired }]) =>
			parameter(context, [pascal(name), pascal(`${guard.security} ${name}`)], {
				name,
				in: "header",
				...(isRequired && { required: true }),
				schema,
			}),
		),
	];
}

/** Adds a parameter under the first free name of `names`. Its description defaults to that of its schema. */
export function parameter(
	{ components }: OperationContext,
	names: readonly string[],
	{
		schema,
		...rest
	}: { readonly name: string; readonly schema: Schema<unknown>; readonly [key: string]: unknown },
): Reference {
	const { description, ...written } = writeSchema(components, schema);
	return components.share("parameters", names, {
		...(description === undefined ? {} : { description }),
		...rest,
		// Of a query: separated by commas.
		...(schema.type === "list" && { style: "form", explode: false }),
		schema: { ...written, examples: [exampleOf(schema, components.examples, rest.name)] },
	});
}

/** `api_client.not_found` → `API client`. */
function nounOf(code: string): string {
	const [noun = ""] = code.split(".");
	return noun.replaceAll("_", " ").replace(/^api /, "API ");
}

function queryOf(endpoint: Route["endpoint"]): Record<string, Schema<unknown>> {
	const parameters: Record<string, Schema<unknown>> = {};
	for (const [name, { schema }] of Object.entries(endpoint.query)) parameters[name] = schema;
	if (isPaged(endpoint)) {
		parameters.page = integer({ min: 1, default: 1, description: "The page number, starting at 1." });
		parameters.page_size = integer({
			min: 1,
			max: PAGE_SIZE_MAX,
			default: PAGE_SIZE_DEFAULT,
			description: "The number of rows per page.",
		});
	}
	return parameters;
}

/** The alternatives by which a caller may authenticate. */
function securityOf({ guard, endpoint }: Route): Record<string, string[]>[] {
	const { security, admitsServices, admitsKeys, admitsCookie } = guard;
	if (security === "none") return endpoint.session === "renews" ? [{ sessionCookie: [] }, {}] : [];
	return [
		{ [security]: [] },
		...(admitsServices === true ? [{ oauthToken: [] }] : []),
		...(admitsKeys === true ? [{ adminKey: [] }] : []),
		...(admitsCookie === true ? [{ sessionCookie: [] }] : []),
	];
}
