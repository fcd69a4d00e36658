// Registers the rows of the route map with Fastify: limit, guard, body, handler.

import type { FastifyInstance, FastifySchema } from "fastify";
import { invalidFields } from "../kernel/error.ts";
import { countAdmitted, countRelayed, type Hook, type LimitOptions, settle } from "./apply-limits.ts";
import { parseJsonBody } from "./body.ts";
import type { Route } from "./guard.ts";
import { handlerFor } from "./handler.ts";
import type { Incoming } from "./incoming.ts";
import { bodySchemaOf, fieldsOfNoBody, refusesUnknownNames } from "./known-names.ts";
import { readBrowserSession } from "./read-browser-session.ts";
import { methodNotAllowed, shadowedPaths } from "./request-target.ts";
import type { Transport } from "./transport.ts";

declare module "fastify" {
	interface FastifyRequest {
		incoming: Incoming;
		caller: unknown;
		/** The result of `Guard.beforeBody`. */
		guardState: unknown;
	}
	interface FastifyContextConfig {
		/** The path as in the route map. */
		template?: string;
		transport?: Transport;
		bearer?: boolean;
		browser?: boolean;
		/** Errors have the form of RFC 6749, section 5.2. */
		oauth?: boolean;
		guard?: ObservingGuard;
		/** The caller may choose the request id. */
		callerNamesRequest?: boolean;
		/** The supported methods of a fixed path, set on routes for its unsupported ones (`shadowedPaths`). */
		allowed?: readonly string[];
	}
}

/** The part of a guard that learns of responses. */
export type ObservingGuard = Pick<Route["guard"], "identify" | "onResponse">;

interface RouteOptions extends LimitOptions {
	readonly routes: readonly Route[];
	/** The origin of the service; if undefined, the origin that a request over TLS addresses. */
	readonly ownOrigin: string | undefined;
}

export function addRoutes(fastify: FastifyInstance, options: RouteOptions): void {
	for (const route of options.routes) addRoute(fastify, route, options);
	for (const { path, method, transport, allowed } of shadowedPaths(options.routes))
		fastify.route({
			method,
			url: path,
			config: { template: path, transport, allowed },
			handler: (request) => Promise.reject(methodNotAllowed(request.method, allowed)),
		});
}

function addRoute(fastify: FastifyInstance, route: Route, options: RouteOptions): void {
	const { guard, endpoint, limit } = route;
	const isRelayed = endpoint.countedAs !== undefined;
	const limiter =
		typeof limit === "string"
			? undefined
			: options.rateLimits.ofRoute(`${route.method} ${route.path}`, limit.perMinute);
	const admit = admission(guard);
	fastify.route({
		method: route.method,
		url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
		schema: schemasOf(route, options.routes),
		config: {
			template: route.path,
			transport: guard.transport,
			bearer: guard.security === "bearer",
			browser: endpoint.browser,
			guard,
			callerNamesRequest: endpoint.callerNamesRequest,
			limiter,
			probe: limit === "probe",
			countedLater: isRelayed,
		},
		onRequest: [
			...readSession(endpoint, options),
			guard.beforeBody === undefined ? admit : beforeBody(guard),
			...(limiter === undefined ? [] : [countAdmitted(options)]),
		],
		preValidation: [...(guard.beforeBody === undefined ? [] : [admit]), ...parseBody(route)],
		preHandler: isRelayed ? [countRelayed(endpoint, options)] : [],
		handler: handlerFor(route),
	});
}

/** The schemas that validate the body and serialize a successful response. `reply.ts` serializes errors. */
function schemasOf(route: Route, routes: readonly Route[]): FastifySchema {
	const { status, schema, statusOf, mediaTypes, orEmpty, orCreated } = route.endpoint.response;
	const body = bodySchemaOf(route, routes);
	const isJson = schema !== undefined && mediaTypes === undefined;
	// With several statuses, a 201 or 503 has the same body as the 200.
	const other = orCreated === undefined ? 503 : 201;
	const statuses = statusOf === undefined || orEmpty !== undefined ? [status] : [status, other];
	return {
		...(body === undefined ? {} : { body }),
		...(isJson ? { response: Object.fromEntries(statuses.map((each) => [each, schema])) } : {}),
	};
}

function readSession({ session }: Route["endpoint"], { ownOrigin }: RouteOptions): Hook[] {
	if (session === undefined) return [];
	return [
		({ incoming }, _reply, done) => {
			incoming.browserSession = readBrowserSession(incoming, session, ownOrigin);
			done();
		},
	];
}

function beforeBody(guard: Route["guard"]): Hook {
	return (request, _reply, done) => {
		request.guardState = guard.beforeBody?.(request.incoming);
		done();
	};
}

function admission(guard: Route["guard"]): Hook {
	return (request, _reply, done) => {
		const admitted = (caller: unknown): void => {
			request.caller = caller;
			done();
		};
		settle(guard.admit(request.incoming, request.guardState), admitted, done);
	};
}

/** Parses the body as JSON. A route that expects none refuses every field if it refuses unknown names. */
function parseBody({ guard, endpoint, method }: Route): Hook[] {
	if (endpoint.body !== undefined)
		return [
			(request, _reply, done) => {
				const { rawBody, contentType } = request.incoming;
				const parsed = parseJsonBody(rawBody, contentType);
				// An absent body counts as `{}`; `null` is a value that is not an object.
				request.body = parsed === undefined ? {} : parsed;
				done();
			},
		];
	if (method === "GET" || !refusesUnknownNames(guard)) return [];
	return [
		(request, _reply, done) => {
			const complaints = fieldsOfNoBody(request.incoming.rawBody);
			done(complaints.length > 0 ? invalidFields(complaints) : undefined);
		},
	];
}
