// Builds the Fastify instance that serves the map of routes: addresses, limits, guards, bodies, replies.

import type { IncomingMessage } from "node:http";
import swagger from "@fastify/swagger";
import fastJsonStringify from "fast-json-stringify";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { AppError } from "../kernel/error.ts";
import { type Cidr, rateLimitKey } from "../kernel/ip.ts";
import type { Log } from "../kernel/log.ts";
import { BODY_LIMIT_BYTES, parseJsonBody } from "./body.ts";
import { clientAddress } from "./client-address.ts";
import type { Guard, Route } from "./guard.ts";
import { handlerFor } from "./handler.ts";
import { Incoming, sentValues } from "./incoming.ts";
import { createListeners, type Listeners, type Tls } from "./listeners.ts";
import type { RequestMeter } from "./metrics.ts";
import { describeRoute, openApiOptions } from "./openapi.ts";
import type { StaticPage } from "./pages/pages.ts";
import type { RateLimits, RateVerdict, RouteLimiter, RouteVerdict } from "./rate-limit.ts";
import { errorReply, toAppError } from "./reply.ts";
import { decodable, notHere, originForm } from "./request-target.ts";
import type { Schema } from "./schema.ts";
import { isNamedByCaller, isOpenApi, requireHttps } from "./transport.ts";
import { invalidBody, validator } from "./validation.ts";

declare module "fastify" {
	interface FastifyRequest {
		incoming: Incoming;
		caller: unknown;
		/** Until the guard has decided, on a route with a limit of its own. */
		routeVerdict: RouteVerdict | undefined;
	}
	interface FastifyContextConfig {
		/** The path as the map of routes has it. */
		template?: string;
		bearer?: boolean;
		browser?: boolean;
		/** Files of the small pages do not count against the rate limit. */
		uncounted?: boolean;
		/** Trusted proxies ask for themselves here, to find out whether to send anything. */
		probe?: boolean;
		/** Of a route that has a limit of its own. */
		limiter?: RouteLimiter | undefined;
	}
}

export interface ServerOptions {
	readonly version: string;
	readonly publicUrl: string;
	readonly routes: readonly Route[];
	readonly pages: ReadonlyMap<string, StaticPage>;
	readonly rateLimits: RateLimits;
	readonly trustedProxies: readonly Cidr[];
	readonly tls: Tls;
	readonly log: Log;
	readonly meter: RequestMeter | undefined;
	/** A fresh request id, when no trusted proxy sent one. */
	readonly newRequestId: () => string;
}

export interface HttpServer {
	readonly listeners: Listeners;
	/** From now on answers ask the client to close the connection: the listeners are about to be closed. */
	drain(): void;
	close(): Promise<void>;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export async function createServer(options: ServerOptions): Promise<HttpServer> {
	let listeners: Listeners | undefined;
	const fastify = Fastify({
		logger: false,
		exposeHeadRoutes: true,
		bodyLimit: BODY_LIMIT_BYTES,
		// No id is that long, so Fastify's own limit would only be one more way to be refused.
		routerOptions: { maxParamLength: 65_536 },
		rewriteUrl: (message) => decodable(originForm(message.url ?? "/")),
		frameworkErrors: (error, request, reply) => sendError(options, error, request, reply),
		serverFactory: (handler) => {
			listeners = createListeners(handler, options.tls, (status) => ({
				body: JSON.stringify({ error: malformedMessage(status) }),
				requestId: options.newRequestId(),
			}));
			// Fastify wants a server to own; ours are opened and closed by the listeners.
			return listeners.primary;
		},
	});
	const state = { draining: false };
	await fastify.register(swagger, openApiOptions(options.version, options.publicUrl));
	prepare(fastify, options, state);
	for (const route of options.routes) addRoute(fastify, route, options);
	addPages(fastify, options.pages);
	fastify.get("/openapi.json", { schema: { hide: true } }, () => fastify.swagger());
	fastify.setNotFoundHandler((request, reply) =>
		sendError(options, notHere(request, options), request, reply),
	);
	await fastify.ready();
	return {
		listeners: listeners as Listeners,
		drain: () => {
			state.draining = true;
		},
		close: () => fastify.close(),
	};
}

function prepare(
	fastify: FastifyInstance,
	options: ServerOptions,
	state: { readonly draining: boolean },
): void {
	fastify.decorateRequest("caller", null);
	fastify.decorateRequest("routeVerdict", undefined);
	fastify.removeAllContentTypeParsers();
	fastify.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => {
		request.incoming.rawBody = body as Buffer;
		done(null, undefined);
	});
	fastify.setValidatorCompiler<Schema<unknown>>(({ schema, httpPart }) => {
		// Ids and query values are parsed by the handler, from text, in their own words.
		if (httpPart !== "body") return () => true;
		const check = validator(schema);
		return (value: unknown) => {
			const result = check(value);
			return result === true ? { value } : { error: invalidBody(result) };
		};
	});
	fastify.setSerializerCompiler(({ schema }) => {
		let serialize: ((value: unknown) => string) | undefined;
		return (value: unknown) => {
			// Where an answer is one of several, their fields tell them apart: formats describe, they are not checked again.
			serialize ??= fastJsonStringify(schema as object, { ajv: { validateFormats: false } });
			return serialize(value);
		};
	});
	fastify.setErrorHandler((error, request, reply) => sendError(options, error, request, reply));
	fastify.addHook("onRequest", (request, reply, done) => {
		const { ip, scheme, proxied } = clientAddress(request.raw, options.trustedProxies);
		const mayName = proxied || isNamedByCaller(request.raw.url ?? "");
		const id = (mayName ? givenRequestId(request.raw) : undefined) ?? options.newRequestId();
		const incoming = new Incoming(request.raw, id, ip, scheme);
		request.incoming = incoming;
		// Fastify would judge the content type before a signature is proved; we do after. It does not look at a GET.
		if (request.method !== "GET") request.raw.headers["content-type"] = undefined;
		reply.header("x-request-id", incoming.requestId);
		if (state.draining) reply.header("connection", "close");
		const goOn = (error?: Error): void => done(error ?? misdirected(request, options));
		if (isUncounted(request, proxied)) goOn();
		else limit(request, options, goOn);
	});
	fastify.addHook("onResponse", (request, reply, done) => {
		request.routeVerdict?.giveBack();
		observe(options, request, reply);
		done();
	});
}

/** Static files; and probes of a trusted proxy's own, which would use up one address' hundred for all nodes behind it. */
function isUncounted(request: FastifyRequest, proxied: boolean): boolean {
	const { uncounted, probe } = request.routeOptions.config;
	return (
		uncounted === true ||
		(probe === true && proxied && sentValues(request.raw, "x-forwarded-for").length === 0)
	);
}

/** Asks every limit the request falls under, in one step. */
function limit(request: FastifyRequest, options: ServerOptions, next: (error?: Error) => void): void {
	const { limiter } = request.routeOptions.config;
	const { service } = options.rateLimits;
	const key = rateLimitKey(request.incoming.ip);
	if (limiter !== undefined) {
		const decide = (verdict: RouteVerdict): void => {
			const error = refusal("service", verdict.service, options);
			if (error === undefined) request.routeVerdict = verdict;
			next(error);
		};
		settle(limiter.take(key), decide, next);
	} else if (service !== undefined)
		settle(service.take(key), (verdict) => next(refusal("service", verdict, options)), next);
	else next();
}

function addRoute(fastify: FastifyInstance, route: Route, options: ServerOptions): void {
	const { guard, endpoint } = route;
	const limiter =
		typeof route.limit === "string"
			? undefined
			: options.rateLimits.ofRoute(`${route.method} ${route.path}`, route.limit.perMinute);
	fastify.route({
		method: route.method,
		url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
		schema: describeRoute(route),
		config: {
			template: route.path,
			bearer: guard.security === "bearer",
			browser: endpoint.browser,
			limiter,
			probe: route.limit === "probe",
		},
		onRequest: beforeBody(guard, options),
		preValidation: afterBody(guard, endpoint.body !== undefined),
		handler: handlerFor(endpoint),
	});
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

function beforeBody(guard: Guard<unknown>, options: ServerOptions): Hook[] {
	const admit: Hook = (request, _reply, done) => {
		guard.beforeBody?.(request.incoming);
		if (guard.needsBody) return done();
		settle(guard.admit(request.incoming), (caller) => admitted(request, caller, done), done);
	};
	const countAdmitted: Hook = (request, _reply, done) => {
		const verdict = request.routeVerdict?.admitted();
		request.routeVerdict = undefined;
		done(refusal("route", verdict, options));
	};
	return [admit, countAdmitted];
}

/** The signed guard sees the raw bytes first; only then are they read as JSON. */
function afterBody(guard: Guard<unknown>, takesBody: boolean): Hook {
	const parse: Hook = (request, _reply, done) => {
		if (takesBody) {
			const parsed = parseJsonBody(request.incoming.rawBody, request.incoming.contentType);
			// No body is an empty one; `null` is a value, and no object.
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

/** Goes on at once when there is nothing to wait for: a hot path pays for no promise it does not need. */
function settle<T>(value: T | Promise<T>, next: (value: T) => void, fail: (error: Error) => void): void {
	if (value instanceof Promise) value.then(next).catch(fail);
	else next(value);
}

function refusal(
	scope: "service" | "route",
	verdict: RateVerdict | undefined,
	{ meter }: ServerOptions,
): AppError | undefined {
	if (verdict === undefined || verdict.allowed) return undefined;
	meter?.refuse(scope);
	return new AppError(
		"request.too_many",
		`too many requests: at most ${verdict.limit} a minute, try again in ${verdict.resetSeconds} s`,
		{
			retryAfterSeconds: verdict.resetSeconds,
			headers: {
				"ratelimit-limit": String(verdict.limit),
				"ratelimit-remaining": String(verdict.remaining),
				"ratelimit-reset": String(verdict.resetSeconds),
			},
		},
	);
}

function addPages(fastify: FastifyInstance, pages: ReadonlyMap<string, StaticPage>): void {
	for (const [path, page] of pages) {
		fastify.get(path, { schema: { hide: true }, config: { uncounted: true } }, (request, reply) => {
			reply.headers(page.headers);
			if (request.headers["if-none-match"] === page.headers.etag) return reply.code(304).send();
			return reply.send(page.body);
		});
	}
}

/** What is wrong with a request whatever it carries: told before a byte of its body is read. */
function misdirected(request: FastifyRequest, options: ServerOptions): AppError | undefined {
	const { incoming } = request;
	if (isOpenApi(request.raw.url ?? "")) requireHttps(incoming);
	const hosts = incoming.headerValues("host").length;
	// RFC 9112, section 3.2.
	if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === "1.1"))
		return new AppError("request.malformed", "header host must be sent exactly once");
	return request.is404 ? notHere(request, options) : undefined;
}

function givenRequestId(message: IncomingMessage): string | undefined {
	const [id, ...others] = sentValues(message, "x-request-id");
	return id !== undefined && others.length === 0 && REQUEST_ID.test(id) ? id : undefined;
}

function sendError(
	options: ServerOptions,
	error: unknown,
	request: FastifyRequest,
	reply: FastifyReply,
): void {
	const id = request.incoming?.requestId ?? options.newRequestId();
	const { status, headers, body } = errorReply(toAppError(error, options.log, id), {
		requestId: id,
		accept: request.headers.accept ?? "",
		bearer: request.routeOptions.config.bearer === true,
		browser: request.routeOptions.config.browser === true,
	});
	reply
		.code(status)
		.headers({ "x-request-id": id, ...headers })
		.serializer((text: string) => text)
		.send(body);
}

function observe(options: ServerOptions, request: FastifyRequest, reply: FastifyReply): void {
	const route = request.routeOptions.config.template ?? request.routeOptions.url ?? "none";
	options.meter?.observe(request.method, route, reply.statusCode, reply.elapsedTime);
	const level = reply.statusCode >= 500 ? "error" : reply.statusCode >= 400 ? "info" : "debug";
	if (level === "debug" && !options.log.isDebug) return;
	options.log[level](
		{
			request_id: request.incoming?.requestId,
			method: request.method,
			route,
			status: reply.statusCode,
			ms: Math.round(reply.elapsedTime * 10) / 10,
			ip: request.incoming?.ip,
		},
		"request",
	);
}

function malformedMessage(status: number): string {
	if (status === 431) return "request headers are too large";
	return status === 408 ? "the request took too long to arrive" : "the request is malformed";
}
