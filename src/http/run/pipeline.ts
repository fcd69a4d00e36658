// The order of the rules: every request runs through `respond` from top to bottom, for every kind of resource.

import type { RequestListener } from "node:http";
import type { Cidr } from "../../kernel/ip.ts";
import type { Tracing } from "../../kernel/tracing.ts";
import { admit, limitRequest } from "./apply-limits.ts";
import { hasBody, readBody } from "./body.ts";
import { createTargetCheck, namedByCallers } from "./check-target.ts";
import { HttpExchange, type ResponseHeaders } from "./http-exchange.ts";
import { Incoming } from "./incoming.ts";
import type { RateLimits } from "./rate-limit.ts";
import { readBrowserSession } from "./read-browser-session.ts";
import { type ErrorOptions, sendError } from "./reply.ts";
import { createReport } from "./report-response.ts";
import type { RequestMeter } from "./request-log.ts";
import { openSpan } from "./request-span.ts";
import { decodable, type KnownPaths, originForm } from "./request-target.ts";
import type { Resource } from "./resource.ts";
import type { Router } from "./router.ts";
import { strictTransport } from "./transport.ts";

export interface PipelineOptions extends KnownPaths, ErrorOptions {
	/**
	 * The origin of pages that may use the session cookie; if undefined, the origin that a request over TLS addresses.
	 */
	readonly ownOrigin: string | undefined;
	readonly rateLimits: RateLimits;
	readonly trustedProxies: readonly Cidr[];
	/** Networks to which the API is served over plain HTTP, in addition to this machine. */
	readonly plainHttpNetworks: readonly Cidr[];
	readonly meter: RequestMeter | undefined;
	/** Undefined if no traces are sent. */
	readonly tracing: Tracing | undefined;
	/** Creates a unique request id. */
	readonly newRequestId: () => string;
}

/** @param state `draining`: every response asks the client to close the connection. */
export function createPipeline(
	router: Router,
	options: PipelineOptions,
	state: { readonly draining: boolean },
): RequestListener {
	const { log, meter, tracing, ownOrigin, publicUrl } = options;
	const checkTarget = createTargetCheck(options);
	const report = createReport(options);
	const mayNameRequest = namedByCallers(options.routes);
	const commonHeadersOf = createCommonHeaders(publicUrl, state);

	const respond = async (exchange: HttpExchange, resource: Resource): Promise<void> => {
		const { incoming, message } = exchange;
		const { guard, session } = resource;
		try {
			await limitRequest(exchange, options);
			checkTarget(exchange);
			if (session !== undefined) incoming.browserSession = readBrowserSession(incoming, session, ownOrigin);
			const guardState = guard?.beforeBody?.(incoming);
			const needsBody = guard?.beforeBody !== undefined;
			if (!needsBody) await admit(exchange, guardState, options);
			if (hasBody(message)) incoming.rawBody = await readBody(message, resource.bodyLimit);
			// Over the raw body, before it is parsed: a bad signature over bad JSON is refused as a bad signature.
			if (needsBody) await admit(exchange, guardState, options);
			resource.parseBody?.(exchange);
			await resource.respond(exchange);
		} catch (error) {
			fail(exchange, error);
		}
	};

	/** If no error response can be sent, only closing the connection shows that the response is incomplete. */
	const fail = (exchange: HttpExchange, error: unknown): void => {
		try {
			sendError(error, exchange, options);
		} catch (err) {
			log.error({ request_id: exchange.incoming.requestId, err }, "response failed");
			exchange.abort();
		}
	};

	return (message, response) => {
		const url = decodable(originForm(message.url ?? "/"));
		const found = router.find(message.method ?? "", url);
		const incoming = Incoming.from(message, url, mayNameRequest(found.resource, url), options);
		// The client has disconnected: no limit or allowlist can be applied without its IP address.
		if (incoming === undefined) {
			meter?.abandon();
			message.destroy();
			return;
		}
		incoming.pathParameters = found.params;
		const exchange = new HttpExchange(message, response, found, incoming, commonHeadersOf(incoming));
		response.on("close", () => report(exchange));
		if (tracing === undefined) void respond(exchange, found.resource);
		else openSpan(tracing, exchange).run(() => void respond(exchange, found.resource));
	};
}

/** The headers of every response. */
function createCommonHeaders(
	publicUrl: string,
	state: { readonly draining: boolean },
): (incoming: Incoming) => ResponseHeaders {
	const strictTransportOf = strictTransport(publicUrl);
	return (incoming) => {
		const headers: Record<string, string> = { "x-request-id": incoming.requestId };
		// Public documents: applications in browsers read them, and their errors.
		if (incoming.path.startsWith("/.well-known/")) headers["access-control-allow-origin"] = "*";
		const strict = strictTransportOf(incoming);
		if (strict !== undefined) headers["strict-transport-security"] = strict;
		if (state.draining) headers.connection = "close";
		return headers;
	};
}
