// The errors of a route: the codes that it can return, and their description in the OpenAPI document.

import { STATUS_CODES } from "node:http";
import { ERROR_KINDS, type ErrorCode } from "../../kernel/error.ts";
import { FIELD_REASONS, problem } from "../../kernel/field-reason.ts";
import { admitsBearer, type Route } from "../describe/guard.ts";
import type { Json } from "../describe/json-schema.ts";
import { refusesUnknownNames } from "../describe/known-names.ts";
import { isPaged } from "../run/handler.ts";
import { ERROR_GUIDE, STATUS_OF_KIND } from "../run/reply.ts";
import { type Components, headerReferences, type Reference } from "./openapi-components.ts";

/** Errors that any endpoint can return. */
const EVERYWHERE: readonly ErrorCode[] = [
	"request.too_many",
	"server.internal",
	"query.too_slow",
	"service.unavailable",
];
const WITH_BODY: readonly ErrorCode[] = [
	"request.invalid",
	"request.malformed",
	"request.content_type",
	"request.content_encoding",
	"request.too_large",
];

/** Errors of `If-Match`. */
const WITH_VERSION: readonly ErrorCode[] = ["version.changed", "service.overloaded"];

/** Errors of `X-Session` and the session cookie. */
const WITH_SESSION: readonly ErrorCode[] = ["request.invalid", "origin.not_allowed"];

/** Every error code that a route can return: from its guard, endpoint, transport, body and parameters. */
export function errorCodesOf(route: Route): ErrorCode[] {
	const { guard, endpoint, version, method } = route;
	const codes = new Set<ErrorCode>([...guard.errors, ...endpoint.errors, ...EVERYWHERE]);
	if (guard.transport !== "any") codes.add("transport.https_required");
	if (version !== undefined && method !== "GET") for (const code of WITH_VERSION) codes.add(code);
	if (endpoint.session !== undefined) for (const code of WITH_SESSION) codes.add(code);
	if (endpoint.body !== undefined || endpoint.file !== undefined)
		for (const code of WITH_BODY) codes.add(code);
	if (refusesUnknownNames(guard) || Object.keys(endpoint.query).length > 0 || isPaged(endpoint))
		codes.add("request.invalid");
	if (refusesUnknownNames(guard) && method !== "GET") codes.add("request.content_encoding");
	for (const code of Object.values(endpoint.ids)) codes.add(code);
	for (const { code } of Object.values(endpoint.names)) codes.add(code);
	return [...codes];
}

/** Codes that depend on the kind of caller and of request, not on the operation; they are listed under `default`. */
const GENERAL: ReadonlySet<ErrorCode> = new Set([
	"request.invalid",
	"request.malformed",
	"request.content_type",
	"request.content_encoding",
	"request.too_large",
	"token.missing",
	"token.invalid",
	"role.required",
	"application.token",
	"admin_key.not_allowed",
	"ip.not_allowed",
	"transport.https_required",
	"query.too_slow",
	"server.internal",
	"service.overloaded",
	"service.unavailable",
]);

/**
 * The codes of a route by status. Statuses whose codes are all general are grouped under `default`.
 */
export function errorGroups(route: Route): Map<string, ErrorCode[]> {
	const codes = errorCodesOf(route).sort();
	const statusOf = (code: ErrorCode): string => String(STATUS_OF_KIND[ERROR_KINDS[code]]);
	const own = new Set(codes.filter((code) => !GENERAL.has(code)).map(statusOf));
	return Map.groupBy(codes, (code) => (own.has(statusOf(code)) ? statusOf(code) : "default"));
}

/**
 * The error responses of a route. All responses of a status share one part; equal sets of codes share a reference to it,
 * whose description is the closed set.
 */
export function errorResponses(components: Components, route: Route): Record<string, Reference> {
	const responses = [...errorGroups(route)].map(([status, codes]) => {
		const part = components.share("responses", [status, `${status}.plain`], responseOf(status, route));
		const description = codes.map((code) => `\`${code}\``).join(", ");
		const name = codes.length === 1 ? `${codes}` : `${status}.${route.endpoint.name}`;
		return [status, components.share("responses", [name], { ...part, description })];
	});
	return Object.fromEntries(responses);
}

function responseOf(status: string, { guard }: Route): Json {
	const names = status === "401" && !admitsBearer(guard) ? [] : (HEADERS_OF[status] ?? []);
	return {
		description:
			STATUS_CODES[status] ?? "The request was refused before it reached the operation, or failed.",
		...headerReferences(names),
		content: {
			"application/json": { schema: { $ref: "#/components/schemas/Error" } },
			"application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
		},
	};
}

export const LIMITED = ["Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
const HEADERS_OF: Readonly<Record<string, readonly string[]>> = {
	401: ["WWW-Authenticate"],
	405: ["Allow"],
	412: ["ETag"],
	415: ["Accept-Encoding"],
	429: LIMITED,
	503: ["Retry-After"],
	default: ["Retry-After", "WWW-Authenticate", "Upgrade", "Accept-Encoding"],
};

/** Adds the parts that all error responses reference. */
export function addErrorParts(components: Components): void {
	components.add("schemas", "Error", ERROR);
	components.add("schemas", "Problem", PROBLEM);
	for (const [name, header] of Object.entries(HEADERS)) components.add("headers", name, header);
}

const ERROR: Json = {
	type: "object",
	properties: { error: { type: "string", description: "What went wrong." } },
	required: ["error"],
	examples: [{ error: "username must be at least 3 characters" }],
};

const PROBLEM: Json = {
	type: "object",
	description: "RFC 9457, for callers whose `Accept` header contains `application/problem+json`.",
	properties: {
		type: {
			type: "string",
			format: "uri",
			description: "The explanation of `code` in the guide of the service.",
		},
		title: { type: "string", description: "The reason phrase of the status." },
		status: { type: "integer" },
		detail: { type: "string", description: "What went wrong." },
		code: {
			type: "string",
			description:
				"Stable code, explained in docs/errors.md. The description of a response lists those it can contain.",
			enum: Object.keys(ERROR_KINDS),
		},
		request_id: { type: "string", description: "As in `X-Request-Id` and the log." },
		errors: {
			type: "array",
			description: "The invalid fields; empty for other errors.",
			items: {
				type: "object",
				properties: {
					field: { type: "string", description: "The path of the field, such as `ip_allowlist.2`." },
					message: { type: "string", description: "English text; may change." },
					code: { type: "string", description: "Stable reason.", enum: Object.keys(FIELD_REASONS) },
					params: {
						type: "object",
						description: "The values in the message, such as `max`.",
						additionalProperties: {
							anyOf: [{ type: "string" }, { type: "number" }, { type: "array", items: { type: "string" } }],
						},
					},
				},
				required: ["field", "message", "code", "params"],
			},
		},
		current_etag: { type: "string", description: "With status 412: as in `ETag`." },
	},
	required: ["type", "title", "status", "detail", "code", "request_id", "errors"],
	examples: [
		{
			type: `https://id.example.com${ERROR_GUIDE}#request.invalid`,
			title: "Bad Request",
			status: 400,
			detail: "username must be at least 3 characters",
			code: "request.invalid",
			request_id: "k3v9q1zx-2f",
			errors: [{ field: "username", ...problem("characters_min", { min: 3 }) }],
		},
	],
};

const seconds = (description: string): Json => ({ description, schema: { type: "integer" }, example: 30 });
const text = (description: string, example: string): Json => ({
	description,
	schema: { type: "string" },
	example,
});
const HEADERS: Readonly<Record<string, Json>> = {
	"Retry-After": seconds("Seconds until the next attempt may succeed."),
	"RateLimit-Limit": { ...seconds("Requests or attempts allowed in the window."), example: 100 },
	"RateLimit-Remaining": { ...seconds("Requests or attempts left in the window."), example: 0 },
	"RateLimit-Reset": seconds("Seconds until the limit allows another request."),
	"WWW-Authenticate": text("The scheme to authenticate with.", "Bearer"),
	ETag: text("The version of the record, for `If-Match`.", '"Zx3sA9vQkM0t2bWcYd7h1Q"'),
	Allow: text("The methods of the path.", "GET"),
	"Accept-Encoding": text("With status 415: the encoding of bodies that are read.", "identity"),
	Upgrade: text("The protocol to use instead: HTTPS.", "TLS/1.2, HTTP/1.1"),
	"Set-Cookie": text(
		"With `X-Session: cookie`: the refresh token of the session, or an expired cookie if the session has ended.",
		"__Host-latchkey=…; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=604800",
	),
	Location: text("The URL that the browser is redirected to.", "https://id.example.com/sign-in#finish"),
};
