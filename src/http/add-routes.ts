// Registers the rows of the route map with Fastify: limit, guard, body, handler.

import type { FastifyInstance, FastifyRequest } from "fastify";
import { countAdmitted, countRelayed, type LimitOptions } from "./apply-limits.ts";
import { parseJsonBody } from "./body.ts";
import type { Guard, Route } from "./guard.ts";
import { handlerFor } from "./handler.ts";
import type { Incoming } from "./incoming.ts";
import { fieldsOfNoBody, refusesUnknownNames } from "./known-names.ts";
import { describeRoute } from "./openapi.ts";
import { methodNotAllowed, shadowedPaths } from "./request-target.ts";
import { type Hook, settle } from "./settle.ts";
import type { Transport } from "./transport.ts";
import { invalidBody } from "./validation.ts";

declare module "fastify" {
	interface FastifyRequest {
		incoming: Incoming;
		caller: unknown;
	}
	interface FastifyContextConfig {
		/** The path as in the route map. */
		template?: string;
		transport?: Transport;
		bearer?: boolean;
		browser?: boolean;
		/** The caller may choose the request id. */
		callerNamesRequest?: boolean;
		/** Set on the methods that a fixed path lacks (`shadowedPaths`): the methods it has. */
		allowed?: readonly string[];
	}
}

export interface RouteOptions extends LimitOptions {
	readonly routes: readonly Route[];
}

export function addRoutes(fastify: FastifyInstance, options: RouteOptions): void {
	for (const route of options.routes) addRoute(fastify, route, options);
	for (const { path, method, transport, allowed } of shadowedPaths(options.routes))
		fastify.route({
			method,
			url: path,
			schema: { hide: true },
			config: { template: path, transport, allowed },
			handler: (request) => Promise.reject(methodNotAllowed(request.method, allowed)),
		});
}

function addRoute(fastify: FastifyInstance, route: Route, options: RouteOptions): void {
	const { guard, endpoint, limit } = route;
	const isRelayed = endpoint.countedAs !== undefined;
	fastify.route({
		method: route.method,
		url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
		schema: describeRoute(route, options.routes),
		config: {
			template: route.path,
			transport: guard.transport,
			bearer: guard.security === "bearer",
			browser: endpoint.browser,
			callerNamesRequest: endpoint.callerNamesRequest,
			limiter:
				typeof limit === "string"
					? undefined
					: options.rateLimits.ofRoute(`${route.method} ${route.path}`, limit.perMinute),
			probe: limit === "probe",
			relayed: isRelayed,
		},
		onRequest: [admitBeforeBody(guard), countAdmitted(options)],
		preValidation: afterBody(route),
		preHandler: isRelayed ? [countRelayed(endpoint, options)] : [],
		handler: handlerFor(route),
	});
}

function admitBeforeBody(guard: Guard<unknown>): Hook {
	return (request, _reply, done) => {
		guard.beforeBody?.(request.incoming);
		if (guard.needsBody) return done();
		settle(guard.admit(request.incoming), (caller) => admitted(request, caller, done), done);
	};
}

/** A guard that needs the body runs over its raw bytes; only then is it parsed as JSON. */
function afterBody({ guard, endpoint, method }: Route): Hook {
	const takesBody = endpoint.body !== undefined;
	const takesNothing = !takesBody && method !== "GET" && refusesUnknownNames(guard);
	const parse: Hook = (request, _reply, done) => {
		const { rawBody, contentType } = request.incoming;
		if (takesNothing && rawBody.length > 0) {
			const complaints = fieldsOfNoBody(rawBody);
			if (complaints.length > 0) return done(invalidBody(complaints));
		}
		if (takesBody) {
			const parsed = parseJsonBody(rawBody, contentType);
			// An absent body counts as `{}`; `null` is a value, and not an object.
			request.body = parsed === undefined ? {} : parsed;
		}
		done();
	};
	if (!guard.needsBody) return parse;
	return (request, reply, done) =>
		settle(
			guard.admit(request.incoming),
			(caller) => admitted(request, caller, () => parse(request, reply, done)),
			done,
		);
}

function admitted(request: FastifyRequest, caller: unknown, done: () => void): void {
	request.caller = caller;
	done();
}
