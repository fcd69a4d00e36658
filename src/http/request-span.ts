// The tracing span of a request, opened when the request arrives and closed with its response.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { ServerSpan, Tracing } from "../kernel/tracing.ts";
import { routeOf } from "./request-log.ts";

declare module "fastify" {
	interface FastifyRequest {
		span: ServerSpan | undefined;
	}
}

/**
 * Accepts `traceparent` only from trusted proxies, because a parent decides whether the trace is kept and could join
 * the traces of other callers.
 */
export function openSpan(tracing: Tracing, request: FastifyRequest): void {
	const { incoming } = request;
	const [parent, ...others] = incoming.proxied ? incoming.headerValues("traceparent") : [];
	request.span = tracing.openServerSpan(others.length === 0 ? parent : undefined);
}

/** Closes the span of a client that disconnects before the end of its response. */
export function closeAbandoned(request: FastifyRequest, reply: FastifyReply): void {
	reply.raw.once("close", () => {
		if (!reply.raw.writableFinished) closeSpan(request, reply, true);
	});
}

/** Closes the span, if there is one. `isAbandoned`: the client disconnected before the end of the response. */
export function closeSpan(request: FastifyRequest, reply: FastifyReply, isAbandoned = false): void {
	const { span, method, incoming, refusal } = request;
	if (span === undefined) return;
	const template = routeOf(request);
	const route = template === "none" ? undefined : template;
	const isFailed = reply.statusCode >= 500 && !request.isPlannedFailure;
	span.end(route === undefined ? method : `${method} ${route}`, {
		attributes: {
			"http.request.method": method,
			"http.route": route,
			"http.response.status_code": isAbandoned ? undefined : reply.statusCode,
			"url.scheme": incoming.scheme,
			"latchkey.request_id": incoming.requestId,
			"latchkey.code": refusal?.code,
			"latchkey.reason": refusal?.reason,
			"error.type": isAbandoned ? "abandoned" : isFailed ? (refusal?.code ?? reply.statusCode) : undefined,
		},
		isFailed,
	});
}
