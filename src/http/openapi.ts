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
import { plain, type Schema } from "./schema.ts";

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
		transformObject: (made) =>
			"openapiObject" in made ? finishDocument(made.openapiObject) : made.swaggerObject,
	};
}

/** The Fastify schema of a route: validates the body, serialises the answer, and documents both. */
export function describeRoute(route: Route, routes: readonly Route[]): FastifySchema {
	const { endpoint, guard } = route;
	const parameters = pathParameters(endpoint);
	const query = queryProperties(route);
	const { answer } = endpoint;
	const body = bodySchemaOf(route, routes);
	return {
		operationId: endpoint.name,
		summary: endpoint.summary,
		description: [endpoint.description, `Allowed: ${guard.allows}.`].filter(Boolean).join("\n\n"),
		tags: [route.tag],
		security: guard.security === "none" ? [] : [{ [guard.security]: [] }],
		...(Object.keys(parameters).length === 0
			? {}
			: { params: { type: "object", properties: parameters, required: Object.keys(parameters) } }),
		...(Object.keys(query).length === 0 ? {} : { querystring: { type: "object", properties: query } }),
		...(body === undefined ? {} : { body }),
		response: {
			[answer.status]:
				answer.schema === undefined
					? { type: "null", description: answer.description }
					: answer.mediaTypes === undefined
						? { description: answer.description, ...answer.schema }
						: { description: answer.description, content: contentOf(answer.mediaTypes, answer.schema) },
			...errorResponses(route),
			...(answer.orPage === undefined
				? {}
				: {
						[answer.orPage.status]: {
							description: answer.orPage.description,
							content: { "text/html": { schema: { type: "string" } } },
						},
					}),
			...(answer.statusOf === undefined || answer.status !== 200
				? {}
				: { 503: { description: "Something needed is away.", ...answer.schema } }),
		},
	};
}

function pathParameters({ ids, names }: Route["endpoint"]): Record<string, unknown> {
	return Object.fromEntries([
		...Object.keys(ids).map((id) => [id, { type: "string", format: "uuid" }]),
		...Object.entries(names).map(([name, { pattern }]) => [
			name,
			{ type: "string", pattern: pattern.source },
		]),
	]);
}

function contentOf(mediaTypes: readonly string[], schema: Schema<unknown>): Record<string, unknown> {
	return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

function queryProperties(route: Route): Record<string, unknown> {
	const properties: Record<string, unknown> = {};
	for (const [name, parameter] of Object.entries(route.endpoint.query)) properties[name] = parameter.schema;
	if (isPaged(route.endpoint)) {
		properties.page = { type: "integer", minimum: 1, default: 1 };
		properties.page_size = {
			type: "integer",
			minimum: 1,
			maximum: PAGE_SIZE_MAX,
			default: PAGE_SIZE_DEFAULT,
		};
	}
	return properties;
}

function errorResponses(route: Route): Record<number, unknown> {
	const byStatus = new Map<number, ErrorCode[]>();
	for (const code of errorCodesOf(route)) {
		const status = STATUS_OF_KIND[ERROR_KINDS[code]];
		byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
	}
	const responses: Record<number, unknown> = {};
	for (const [status, codes] of byStatus) {
		responses[status] = {
			description: `Error codes: ${codes.sort().join(", ")}`,
			type: "object",
			properties: { error: plain({ description: "What went wrong." }) },
			required: ["error"],
		};
	}
	return responses;
}
