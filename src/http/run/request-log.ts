// Logs and counts each completed request.

import type { ErrorCode, RefusalReason } from "../../kernel/error.ts";
import type { Log } from "../../kernel/log.ts";
import type { HttpExchange } from "./http-exchange.ts";

/** Records each response; `milliseconds` from the first byte of the request to the last byte of the response. */
export interface RequestMeter {
	/** `route` is the path in the route map, never the path as sent: the number of labels must stay small. */
	observe(method: string, route: string, status: number, milliseconds: number): void;
	/** Records an error response; both labels come from closed lists. */
	fail(code: ErrorCode, reason: RefusalReason | undefined): void;
	/** Records a refusal by the rate limit of the service or of one route. */
	refuse(scope: "service" | "route"): void;
	/** Records a client that disconnected before the end of its response. */
	abandon(): void;
}

const PATH_MAX = 200;
/** Longer than an id or any name in a path: possibly a token in the wrong place. */
const SEGMENT_MAX = 36;
const MASK = "***";

export function count(meter: RequestMeter | undefined, exchange: HttpExchange): void {
	if (meter === undefined) return;
	const { refusal, incoming, resource, status, elapsedMs } = exchange;
	meter.observe(incoming.method, resource.template, status, elapsedMs);
	if (refusal !== undefined) meter.fail(refusal.code, refusal.reason);
}

/** Logs the response unless it is a success and the log level hides successes. */
export function logRequest(log: Log, exchange: HttpExchange): void {
	const level = levelOf(exchange);
	if (level === "debug" && !log.isDebug) return;
	const { refusal, incoming, resource, status } = exchange;
	log[level](
		{
			request_id: incoming.requestId,
			method: incoming.method,
			route: resource.template,
			// For a 404 the route is unknown, or names only the kind of resource.
			path: status === 404 ? shownPath(incoming.path) : undefined,
			status,
			code: refusal?.code,
			reason: refusal?.reason,
			ms: milliseconds(exchange),
			ip: incoming.ip,
			tenant_id: incoming.tenantId,
			user_id: incoming.userId,
			client_id: incoming.clientId,
			key_id: incoming.keyId,
		},
		"request",
	);
}

/** Logs a request whose client disconnected before the end of the response. */
export function logAbandoned(log: Log, exchange: HttpExchange): void {
	const { incoming, resource } = exchange;
	const { requestId, method, ip } = incoming;
	log.info(
		{ request_id: requestId, method, route: resource.template, ms: milliseconds(exchange), ip },
		"client disconnected",
	);
}

/**
 * The path without its query, at most 200 characters. Masks long segments and those with the prefix of a credential, so
 * that a token or Secret that was put into a path by mistake is not logged.
 */
export function shownPath(url: string): string {
	const [path = ""] = url.split(/[?#]/, 1);
	return path
		.slice(0, PATH_MAX * 4)
		.split("/")
		.map((segment) => (segment.length > SEGMENT_MAX || /^(?:sk|lk|ak|gk)_/i.test(segment) ? MASK : segment))
		.join("/")
		.slice(0, PATH_MAX);
}

function levelOf({ isPlannedFailure, status }: HttpExchange): "debug" | "info" | "error" {
	if (status >= 500) return isPlannedFailure ? "debug" : "error";
	return status >= 400 ? "info" : "debug";
}

function milliseconds({ elapsedMs }: HttpExchange): number {
	return Math.round(elapsedMs * 10) / 10;
}
