// Maps errors to responses. No other file knows the status of an error or its wire formats.

import { STATUS_CODES } from "node:http";
import { AppError, type ErrorCode, type ErrorKind } from "../../kernel/error.ts";
import type { Log } from "../../kernel/log.ts";
import { admitsBearer } from "../describe/guard.ts";
import { BROWSER_PAGE_HEADERS, browserPage } from "./browser-page.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { oauthRefusal } from "./mount.ts";

export const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
	invalid: 400,
	unauthenticated: 401,
	forbidden: 403,
	not_found: 404,
	method_not_allowed: 405,
	conflict: 409,
	precondition_failed: 412,
	too_large: 413,
	unsupported_media: 415,
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

/** Further headers of all errors below a path, including those of unknown paths. */
export interface DescribedRefusals {
	readonly below: string;
	headersOf(status: number, code: ErrorCode, requestId: string): Record<string, string>;
}

/** The form of all errors below a path, including those of unknown paths, where it is not that of the API. */
export interface ErrorForm {
	readonly below: string;
	readonly contentType: string;
	bodyOf(status: number, code: ErrorCode, message: string): string;
}

export interface ErrorOptions {
	readonly publicUrl: string;
	readonly log: Log;
	readonly describedRefusals?: DescribedRefusals | undefined;
	readonly errorForm?: ErrorForm | undefined;
}

/**
 * The response for an error: `{ "error": message }`, or RFC 9457 when `Accept` asks for it. A Bearer route adds the
 * challenge to 401. A resource for browsers returns a page to clients that accept HTML, with the request id for the
 * operator.
 */
function errorReply(
	error: AppError,
	{ incoming, resource }: HttpExchange,
	{ publicUrl, describedRefusals: described, errorForm: form }: ErrorOptions,
) {
	const { accept, requestId, method } = incoming;
	const status = STATUS_OF_KIND[error.kind];
	const headers: Record<string, string> = {
		"cache-control": "no-store",
		...error.headers,
		...(described &&
			incoming.path.startsWith(described.below) &&
			described.headersOf(status, error.code, requestId)),
	};
	if (status === 401 && resource.guard !== undefined && admitsBearer(resource.guard))
		headers["www-authenticate"] = "Bearer";
	if (error.retryAfterSeconds !== undefined)
		headers["retry-after"] = String(Math.max(1, Math.ceil(error.retryAfterSeconds)));
	else if (status === 503) headers["retry-after"] = "1";
	if (form !== undefined && incoming.path.startsWith(form.below)) {
		headers["content-type"] = form.contentType;
		return { status, headers, body: form.bodyOf(status, error.code, error.message) };
	}
	// A mistyped URL: API clients do not ask for HTML.
	const isForBrowser = resource.browser === true || (error.code === "route.not_found" && method === "GET");
	if (isForBrowser && accept.includes("text/html")) {
		const body = browserPage({
			title: STATUS_CODES[status] ?? "Error",
			paragraphs: [`${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`],
			note: `Request ${requestId}`,
		});
		return { status, headers: { ...headers, ...BROWSER_PAGE_HEADERS }, body };
	}
	const isProblem = resource.oauth !== true && accept.includes(PROBLEM_TYPE);
	headers["content-type"] = isProblem ? PROBLEM_TYPE : JSON_TYPE;
	if (resource.oauth === true) {
		const body = oauthRefusal(OAUTH_ERRORS[error.kind] ?? "invalid_request", error.message);
		return { status, headers, body };
	}
	if (!isProblem) return { status, headers, body: JSON.stringify({ error: error.message }) };
	const problem = {
		type: `${publicUrl}${ERROR_GUIDE}#${error.code}`,
		title: STATUS_CODES[status],
		status,
		detail: error.message,
		code: error.code,
		request_id: requestId,
		errors: error.fields,
		current_etag: error.headers.etag,
	};
	return { status, headers, body: JSON.stringify(problem) };
}

/** Converts an unknown error to `server.internal`, and logs it. */
function toAppError(error: unknown, log: Log, requestId: string): AppError {
	if (!(error instanceof AppError)) {
		log.error({ request_id: requestId, err: error }, "request failed");
		return new AppError("server.internal", "Internal server error", { cause: error });
	}
	if (error.kind === "unavailable")
		log.warn({ request_id: requestId, code: error.code, err: error.cause }, error.message);
	return error;
}

/** Sends an error, and records it for the log and the metrics. */
export function sendError(error: unknown, exchange: HttpExchange, options: ErrorOptions): void {
	const { requestId, browserSession } = exchange.incoming;
	const refusal = toAppError(error, options.log, requestId);
	exchange.refusal = refusal;
	const { status, headers, body } = errorReply(refusal, exchange, options);
	const cookie = browserSession?.cookieOfRefusal(refusal);
	exchange.send(status, cookie === undefined ? headers : { ...headers, "set-cookie": cookie }, body);
}
