// Logs and counts each completed request.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { AppError, ErrorCode, RefusalReason } from "../kernel/error.ts";
import type { Log } from "../kernel/log.ts";

declare module "fastify" {
	interface FastifyRequest {
		/** The error that was returned. */
		refusal: AppError | undefined;
		/** The response is an intended 5xx, such as a failing probe during shutdown, and not an error of the service. */
		isPlannedFailure: boolean;
	}
}

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

export function count(meter: RequestMeter | undefined, request: FastifyRequest, reply: FastifyReply): void {
	const { refusal } = request;
	meter?.observe(request.method, routeOf(request), reply.statusCode, reply.elapsedTime);
	if (refusal !== undefined) meter?.fail(refusal.code, refusal.reason);
}

/** Logs the response unless it is a success and the log level hides successes. */
export function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
	const { refusal } = request;
	const level = levelOf(request, reply.statusCode);
	if (level === "debug" && !log.isDebug) return;
	const { method, incoming } = request;
	log[level](
		{
			request_id: incoming?.requestId,
			method,
			route: routeOf(request),
			// For a 404 the route is unknown, or names only the kind of resource.
			path: reply.statusCode === 404 ? shownPath(incoming?.path ?? "") : undefined,
			status: reply.statusCode,
			code: refusal?.code,
			reason: refusal?.reason,
			ms: milliseconds(reply),
			ip: incoming?.ip,
			tenant_id: incoming?.tenantId,
			user_id: incoming?.userId,
			client_id: incoming?.clientId,
			key_id: incoming?.keyId,
		},
		"request",
	);
}

/** Records clients that disconnect before the end of the response, for which Fastify does not call `onResponse`. */
export function observeAbandoned(
	{ log, meter }: { readonly log: Log; readonly meter: RequestMeter | undefined },
	request: FastifyRequest,
	reply: FastifyReply,
): void {
	reply.raw.once("close", () => {
		if (reply.raw.writableFinished) return;
		meter?.abandon();
		const fields = {
			request_id: request.incoming?.requestId,
			method: request.method,
			route: routeOf(request),
			ms: milliseconds(reply),
			ip: request.incoming?.ip,
		};
		log.info(fields, "client disconnected");
	});
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
		.map((segment) => (segment.length > SEGMENT_MAX || /^(?:sk|lk|ak)_/i.test(segment) ? MASK : segment))
		.join("/")
		.slice(0, PATH_MAX);
}

function levelOf({ isPlannedFailure }: FastifyRequest, status: number): "debug" | "info" | "error" {
	if (status >= 500) return isPlannedFailure ? "debug" : "error";
	return status >= 400 ? "info" : "debug";
}

/** The path in the route map; `none` for an unknown path. */
export function routeOf({ routeOptions }: FastifyRequest): string {
	return routeOptions.config.template ?? routeOptions.url ?? "none";
}

function milliseconds(reply: FastifyReply): number {
	return Math.round(reply.elapsedTime * 10) / 10;
}
