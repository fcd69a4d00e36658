// Maps errors to responses. No other file knows the status of an error or its wire formats.

import { STATUS_CODES } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError, type ErrorKind } from "../kernel/error.ts";
import type { Log } from "../kernel/log.ts";
import { BROWSER_PAGE_HEADERS, browserPage } from "./browser-page.ts";
import { oauthRefusal } from "./mount.ts";

export const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
	invalid: 400,
	unauthenticated: 401,
	forbidden: 403,
	not_found: 404,
	method_not_allowed: 405,
	conflict: 409,
	too_large: 413,
	upgrade_required: 426,
	rate_limited: 429,
	internal: 500,
	unavailable: 503,
};

/** RFC 6749, sections 4.1.2.1 and 5.2; every other kind is `invalid_request`. */
const OAUTH_ERRORS: Partial<Readonly<Record<ErrorKind, string>>> = {
	internal: "server_error",
	rate_limited: "temporarily_unavailable",
	unavailable: "temporarily_unavailable",
};

const JSON_TYPE = "application/json; charset=utf-8";
const PROBLEM_TYPE = "application/problem+json";
/** Explains every code, in a row with the code as its id. */
export const ERROR_GUIDE = "/docs/errors";

/**
 * The response for an error: `{ "error": message }`, or RFC 9457 when `accept` asks for it. `bearer` adds the challenge
 * that a Bearer route sends with 401; `browser` returns a page to clients that accept HTML, with the request id for the
 * operator.
 */
function errorReply(
	error: AppError,
	request: {
		readonly requestId: string;
		readonly accept: string;
		readonly bearer: boolean;
		readonly browser: boolean;
		readonly oauth: boolean;
		readonly publicUrl: string;
	},
): { status: number; headers: Record<string, string>; body: string } {
	const status = STATUS_OF_KIND[error.kind];
	const headers: Record<string, string> = { "cache-control": "no-store", ...error.headers };
	if (status === 401 && request.bearer) headers["www-authenticate"] = "Bearer";
	if (error.retryAfterSeconds !== undefined)
		headers["retry-after"] = String(Math.max(1, Math.ceil(error.retryAfterSeconds)));
	else if (status === 503) headers["retry-after"] = "1";
	if (request.browser && request.accept.includes("text/html")) {
		return {
			status,
			headers: { ...headers, ...BROWSER_PAGE_HEADERS },
			body: browserPage({
				title: STATUS_CODES[status] ?? "Error",
				paragraphs: [`${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`],
				note: `Request ${request.requestId}`,
			}),
		};
	}
	if (request.oauth) {
		headers["content-type"] = JSON_TYPE;
		return {
			status,
			headers,
			body: oauthRefusal(OAUTH_ERRORS[error.kind] ?? "invalid_request", error.message),
		};
	}
	if (!request.accept.includes(PROBLEM_TYPE)) {
		headers["content-type"] = JSON_TYPE;
		return { status, headers, body: JSON.stringify({ error: error.message }) };
	}
	headers["content-type"] = PROBLEM_TYPE;
	const problem = {
		type: `${request.publicUrl}${ERROR_GUIDE}#${error.code}`,
		title: STATUS_CODES[status],
		status,
		detail: error.message,
		code: error.code,
		request_id: request.requestId,
		errors: error.fields,
	};
	return { status, headers, body: JSON.stringify(problem) };
}

/** Converts errors of Fastify. An unknown error is logged and becomes `server.internal`. */
function toAppError(error: unknown, log: Log, requestId: string): AppError {
	if (error instanceof AppError) {
		if (error.kind === "unavailable")
			log.warn({ request_id: requestId, code: error.code, err: error.cause }, error.message);
		return error;
	}
	switch (error instanceof Error && "code" in error ? error.code : undefined) {
		case "FST_ERR_CTP_BODY_TOO_LARGE":
			return new AppError("request.too_large", "body must be at most 65536 bytes");
		case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
		case "FST_ERR_CTP_EMPTY_TYPE":
			return new AppError("request.content_type", "content type must be application/json");
		case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
		case "FST_ERR_BAD_URL":
		case "ECONNRESET":
			return new AppError("request.malformed", "the request is malformed");
		default:
			log.error({ request_id: requestId, err: error }, "request failed");
			return new AppError("server.internal", "Internal server error", { cause: error });
	}
}

interface ErrorOptions {
	readonly log: Log;
	readonly publicUrl: string;
	readonly newRequestId: () => string;
}

/** Sends an error, and records it for the log and the metrics. */
export function sendError(
	{ log, publicUrl, newRequestId }: ErrorOptions,
	error: unknown,
	request: FastifyRequest,
	reply: FastifyReply,
): void {
	const id = request.incoming?.requestId ?? newRequestId();
	const refusal = toAppError(error, log, id);
	request.refusal = refusal;
	const { bearer = false, browser = false, oauth = false } = request.routeOptions.config;
	const { status, headers, body } = errorReply(refusal, {
		requestId: id,
		accept: request.headers.accept ?? "",
		bearer,
		oauth,
		publicUrl,
		// A mistyped URL: API clients do not ask for HTML.
		browser: browser || (refusal.code === "route.not_found" && request.method === "GET"),
	});
	const cookie = request.incoming?.browserSession?.cookieOfRefusal(refusal);
	if (cookie !== undefined) headers["set-cookie"] = cookie;
	reply
		.code(status)
		.headers({ "x-request-id": id, ...headers })
		.serializer((text: string) => text)
		.send(body);
}
