// Builds the OpenAPI 3.1 document from the routes and schemas that serve.

import type { FastifyDynamicSwaggerOptions } from "@fastify/swagger";
import type { FastifySchema } from "fastify";
import { ERROR_KINDS, type ErrorCode } from "../kernel/error.ts";
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from "../kernel/page.ts";
import type { Route } from "./guard.ts";
import { isPaged } from "./handler.ts";
import { bodySchemaOf, refusesUnknownNames } from "./known-names.ts";
import { finishDocument } from "./openapi-document.ts";
import { STATUS_OF_KIND } from "./reply.ts";
import { plain } from "./schema.ts";

/** Errors that any endpoint can answer. */
const EVERYWHERE: readonly ErrorCode[] = ["request.too_many", "server.internal", "service.unavailable"];
const WITH_BODY: readonly ErrorCode[] = [
	"request.invalid",
	"request.malformed",
	"request.content_type",
	"request.too_large",
];

/** Every error code a route can answer: of its guard, its endpoint, its transport, its body and its parameters. */
export function errorCodesOf(route: Route): ErrorCode[] {
	const { guard, endpoint } = route;
	const codes = new Set<ErrorCode>([...guard.errors, ...endpoint.errors, ...EVERYWHERE]);
	if (guard.transport !== "any") codes.add("transport.https_required");
	if (endpoint.body !== undefined) for (const code of WITH_BODY) codes.add(code);
	if (refusesUnknownNames(guard) || Object.keys(endpoint.query).length > 0 || isPaged(endpoint))
		codes.add("request.invalid");
	for (const code of Object.values(endpoint.ids)) codes.add(code);
	for (const { code } of Object.values(endpoint.names)) codes.add(code);
	return [...codes];
}

export function openApiOptions(version: string, publicUrl: string): FastifyDynamicSwaggerOptions {
	return {
		openapi: {
			openapi: "3.1.0",
			info: {
				title: "Latchkey",
				version,
				description:
					"Authentication and authorization over REST: people, applications and signed partner requests.",
				license: { name: "Apache-2.0", identifier: "Apache-2.0" },
			},
			servers: [{ url: publicUrl }],
			components: {
				securitySchemes: {
					bearer: {
						type: "http",
						scheme: "bearer",
						bearerFormat: "JWT",
						description: "Access token from sign-in.",
					},
					signed: {
						type: "apiKey",
						in: "header",
						name: "X-Signature",
						description:
							"HMAC-SHA256 over the request, with X-Tenant-ID, X-App-ID, X-API-Key, X-Timestamp and X-Nonce. HTTPS only. See docs/signing.md.",
					},
				},
			},
		},
		hideUntagged: false,
		transformObject: (document) =>
			"openapiObject" in document ? finishDocument(document.openapiObject) : document.swaggerObject,
	};
}

/** The Fastify schema of a route: validates the body, serialises the answer, and documents both. */
export function describeRoute(route: Route, routes: readonly Route[]): FastifySchema {
	const { endpoint, guard } = route;
	const body = bodySchemaOf(route, routes);
	const schema: FastifySchema = {
		operationId: endpoint.name,
		summary: endpoint.summary,
		description: [endpoint.description, `Allowed: ${guard.allows}.`].filter(Boolean).join("\n\n"),
		tags: [route.tag],
		security: guard.security === "none" ? [] : [{ [guard.security]: [] }],
	};
	const parameters = pathParameters(endpoint);
	const required = Object.keys(parameters);
	if (required.length > 0) schema.params = { type: "object", properties: parameters, required };
	const query = queryParameters(endpoint);
	if (Object.keys(query).length > 0) schema.querystring = { type: "object", properties: query };
	if (body !== undefined) schema.body = body;
	schema.response = { ...successes(endpoint), ...errorResponses(route), ...ownUnavailable(endpoint) };
	return schema;
}

function successes({ answer }: Route["endpoint"]): Record<number, unknown> {
	const { status, description, schema, mediaTypes, orPage } = answer;
	const responses: Record<number, unknown> = {};
	if (schema === undefined) responses[status] = { type: "null", description };
	else if (mediaTypes === undefined) responses[status] = { description, ...schema };
	else {
		const content = mediaTypes.map((mediaType) => [mediaType, { schema }]);
		responses[status] = { description, content: Object.fromEntries(content) };
	}
	if (orPage !== undefined)
		responses[orPage.status] = {
			description: orPage.description,
			content: { "text/html": { schema: { type: "string" } } },
		};
	return responses;
}

/** The 503 of an answer with several statuses has the body of its 200, and not that of an error. */
function ownUnavailable({ answer }: Route["endpoint"]): Record<number, unknown> {
	if (answer.statusOf === undefined || answer.status !== 200) return {};
	return { 503: { description: "Something needed is away.", ...answer.schema } };
}

function pathParameters({ ids, names }: Route["endpoint"]): Record<string, unknown> {
	const parameters: Record<string, unknown> = {};
	for (const id of Object.keys(ids)) parameters[id] = { type: "string", format: "uuid" };
	for (const [name, { pattern }] of Object.entries(names))
		parameters[name] = { type: "string", pattern: pattern.source };
	return parameters;
}

function queryParameters(endpoint: Route["endpoint"]): Record<string, unknown> {
	const parameters: Record<string, unknown> = {};
	for (const [name, { schema }] of Object.entries(endpoint.query)) parameters[name] = schema;
	if (isPaged(endpoint)) {
		const number = { type: "integer", minimum: 1 };
		parameters.page = { ...number, default: 1 };
		parameters.page_size = { ...number, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT };
	}
	return parameters;
}

function errorResponses(route: Route): Record<number, unknown> {
	const byStatus = Map.groupBy(errorCodesOf(route), (code) => STATUS_OF_KIND[ERROR_KINDS[code]]);
	const responses: Record<number, unknown> = {};
	for (const [status, codes] of byStatus)
		responses[status] = {
			description: `Error codes: ${codes.sort().join(", ")}`,
			type: "object",
			properties: { error: plain({ description: "What went wrong." }) },
			required: ["error"],
		};
	return responses;
}
