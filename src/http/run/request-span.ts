// The tracing span of a request, opened when the request arrives and closed with its response.

import type { ServerSpan, Tracing } from "../../kernel/tracing.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { REFUSED } from "./resource.ts";

/**
 * Accepts `traceparent` only from trusted proxies, because a parent decides whether the trace is kept and could join
 * the traces of other callers.
 */
export function openSpan(tracing: Tracing, exchange: HttpExchange): ServerSpan {
	const { incoming } = exchange;
	const [parent, ...others] = incoming.proxied ? incoming.headerValues("traceparent") : [];
	exchange.span = tracing.openServerSpan(others.length === 0 ? parent : undefined);
	return exchange.span;
}

/** Closes the span, if there is one. `isAbandoned`: the client disconnected before the end of the response. */
export function closeSpan(exchange: HttpExchange, isAbandoned = false): void {
	const { span, incoming, refusal, resource, status } = exchange;
	if (span === undefined) return;
	const { method } = incoming;
	const route = resource === REFUSED ? undefined : resource.template;
	const isFailed = status >= 500 && !exchange.isPlannedFailure;
	span.end(route === undefined ? method : `${method} ${route}`, {
		attributes: {
			"http.request.method": method,
			"http.route": route,
			"http.response.status_code": isAbandoned ? undefined : status,
			"url.scheme": incoming.scheme,
			"latchkey.request_id": incoming.requestId,
			"latchkey.code": refusal?.code,
			"latchkey.reason": refusal?.reason,
			"error.type": isAbandoned ? "abandoned" : isFailed ? (refusal?.code ?? status) : undefined,
		},
		isFailed,
	});
}
