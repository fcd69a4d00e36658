// Builds the Fastify instance that serves the route map, static pages and the OpenAPI document.

import { crc32, gzipSync } from "node:zlib";
import fastJsonStringify from "fast-json-stringify";
import Fastify, { type FastifyContextConfig, type FastifyInstance, type FastifyRequest } from "fastify";
import { AppError, invalidFields } from "../kernel/error.ts";
import type { Cidr } from "../kernel/ip.ts";
import type { Log } from "../kernel/log.ts";
import type { Tracing } from "../kernel/tracing.ts";
import { addRoutes, type ObservingGuard } from "./add-routes.ts";
import { limitRequest } from "./apply-limits.ts";
import { BODY_LIMIT_BYTES } from "./body.ts";
import type { Connections } from "./connections.ts";
import type { Route } from "./guard.ts";
import { Incoming } from "./incoming.ts";
import { plainJsonSchema } from "./json-schema.ts";
import { createListeners, type Listeners, type Tls } from "./listeners.ts";
import { malformedMessage } from "./malformed.ts";
import { addMounts, type Mount } from "./mount.ts";
import { type ApiDescription, openApiDocument } from "./openapi.ts";
import { addPageFiles, addStartPage, type PageFiles } from "./page-files.ts";
import type { RateLimits } from "./rate-limit.ts";
import { sendError } from "./reply.ts";
import { count, logRequest, observeAbandoned, type RequestMeter, shownPath } from "./request-log.ts";
import { closeAbandoned, closeSpan, openSpan } from "./request-span.ts";
import {
	createNotHere,
	decodable,
	foldersOf,
	methodNotAllowed,
	OPEN_API_PATH,
	originForm,
} from "./request-target.ts";
import type { Schema } from "./schema.ts";
import { addStaticPages, type LazyPage, type StaticPage } from "./static-page.ts";
import { checkTransport, strictTransport, type Transport } from "./transport.ts";
import { validator } from "./validation.ts";

interface ServerOptions {
	readonly version: string;
	readonly publicUrl: string;
	/**
	 * The origin of pages that may use the session cookie; if undefined, the origin that a request over TLS addresses.
	 */
	readonly ownOrigin: string | undefined;
	readonly routes: readonly Route[];
	readonly mounts: readonly Mount[];
	readonly about: ApiDescription;
	/** By path. */
	readonly pages: ReadonlyMap<string, StaticPage | LazyPage>;
	readonly pageFiles: PageFiles;
	/** Where `GET /` sends a browser while the pages are not built. */
	readonly startPage: string;
	readonly rateLimits: RateLimits;
	readonly trustedProxies: readonly Cidr[];
	/** Networks to which the API is served over plain HTTP, in addition to this machine. */
	readonly plainHttpNetworks: readonly Cidr[];
	readonly connections: Connections;
	readonly tls: Tls;
	readonly log: Log;
	readonly meter: RequestMeter | undefined;
	/** Undefined if no traces are sent. */
	readonly tracing: Tracing | undefined;
	/** Creates a unique request id. */
	readonly newRequestId: () => string;
}

export interface HttpServer {
	readonly listeners: Listeners;
	/** From now on, every response asks the client to close the connection, because the listeners are about to close. */
	drain(): void;
	close(): Promise<void>;
}

export async function createServer(options: ServerOptions): Promise<HttpServer> {
	let listeners: Listeners | undefined;
	const fastify = Fastify({
		logger: false,
		exposeHeadRoutes: true,
		bodyLimit: BODY_LIMIT_BYTES,
		// Longer than any target within the header limit, so that Fastify's own limit refuses nothing.
		routerOptions: { maxParamLength: 65_536 },
		rewriteUrl: (message) => decodable(originForm(message.url ?? "/")),
		frameworkErrors: (error, request, reply) => sendError(options, error, request, reply),
		serverFactory: (handler) => {
			listeners = createListeners(handler, {
				tls: options.tls,
				connections: options.connections,
				onMalformed: (status) => ({
					body: JSON.stringify({ error: malformedMessage(status) }),
					requestId: options.newRequestId(),
				}),
			});
			// Fastify requires a server; only the listeners open and close it.
			return listeners.primary;
		},
	});
	const state = { draining: false };
	configure(fastify, options);
	addHooks(fastify, options, state);
	addRoutes(fastify, options);
	addMounts(fastify, options);
	addStaticPages(fastify, options.pages);
	addPageFiles(fastify, options.pageFiles);
	addStartPage(fastify, options.pageFiles, options.startPage);
	addOpenApi(fastify, options);
	const notHere = createNotHere(options);
	fastify.setNotFoundHandler((request, reply) =>
		sendError(options, notHere(request.incoming), request, reply),
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

/**
 * Creates the document on its first request. Compressed with gzip, it has a seventh of its size. Clients that send its
 * ETag receive 304.
 */
function addOpenApi(fastify: FastifyInstance, options: ServerOptions): void {
	let created: { readonly text: string; readonly gzip: Buffer; readonly digest: string } | undefined;
	fastify.get(OPEN_API_PATH, (request, reply) => {
		if (created === undefined) {
			const text = JSON.stringify(openApiDocument(options));
			created = { text, gzip: gzipSync(text), digest: crc32(text).toString(16) };
		}
		const takesGzip = /(?:^|[,\s])gzip(?:[,\s]|$)/.test(String(request.headers["accept-encoding"] ?? ""));
		const etag = `"${created.digest}${takesGzip ? "-gzip" : ""}"`;
		reply.headers({ etag, vary: "accept-encoding", "cache-control": "no-cache" });
		if (request.headers["if-none-match"] === etag) return reply.code(304).send();
		reply.type("application/json; charset=utf-8");
		return takesGzip ? reply.header("content-encoding", "gzip").send(created.gzip) : reply.send(created.text);
	});
}

/** Replaces Fastify's body parsing, validation, serialization and error responses. */
function configure(fastify: FastifyInstance, options: ServerOptions): void {
	fastify.decorateRequest("caller", null);
	fastify.decorateRequest("guardState", undefined);
	fastify.decorateRequest("routeVerdict", undefined);
	fastify.decorateRequest("refusal", undefined);
	fastify.decorateRequest("isPlannedFailure", false);
	fastify.decorateRequest("provisional", undefined);
	fastify.decorateRequest("span", undefined);
	fastify.removeAllContentTypeParsers();
	fastify.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => {
		request.incoming.rawBody = body as Buffer;
		done(null, undefined);
	});
	fastify.setValidatorCompiler<Schema<unknown>>(({ schema, httpPart }) => {
		// The handler parses ids and query values from text, with its own messages.
		if (httpPart !== "body") return () => true;
		const check = validator(schema);
		return (value: unknown) => {
			const result = check(value);
			return result === true ? { value } : { error: invalidFields(result) };
		};
	});
	fastify.setSerializerCompiler<Schema<unknown>>(({ schema }) => {
		let serialize: ((value: unknown) => string) | undefined;
		return (value: unknown) => {
			// The alternatives of a response differ in their fields; formats are descriptive and not checked again.
			serialize ??= fastJsonStringify(plainJsonSchema(schema), { ajv: { validateFormats: false } });
			return serialize(value);
		};
	});
	fastify.setErrorHandler((error, request, reply) => sendError(options, error, request, reply));
}

function addHooks(
	fastify: FastifyInstance,
	options: ServerOptions,
	state: { readonly draining: boolean },
): void {
	const strictTransportOf = strictTransport(options.publicUrl);
	const misdirected = misdirectedCheck(options);
	const mayNameRequest = namedByCallers(options.routes);
	const report = reportResponse(options.routes);
	fastify.addHook("onRequest", (request, reply, done) => {
		observeAbandoned(options, request, reply);
		if (options.tracing !== undefined) closeAbandoned(request, reply);
		// Fastify builds this object on every access.
		const { config } = request.routeOptions;
		const incoming = Incoming.from(request.raw, mayNameRequest(config, request.raw.url ?? "/"), options);
		if (incoming === undefined) {
			reply.hijack();
			request.raw.destroy();
			return;
		}
		request.incoming = incoming;
		// Fastify would refuse a content type before the signature is verified; it ignores the content type of a GET.
		if (request.method !== "GET") request.raw.headers["content-type"] = undefined;
		reply.header("x-request-id", incoming.requestId);
		// Public documents: applications in browsers read them, and their errors.
		if (incoming.path.startsWith("/.well-known/")) reply.header("access-control-allow-origin", "*");
		const strict = strictTransportOf(incoming);
		if (strict !== undefined) reply.header("strict-transport-security", strict);
		if (state.draining) reply.header("connection", "close");
		const admit = (): void =>
			limitRequest(request, config, options, (error) => done(error ?? misdirected(request, config)));
		if (options.tracing === undefined) return admit();
		openSpan(options.tracing, request);
		request.span?.run(admit);
	});
	if (options.tracing !== undefined)
		// The events that deliver a body run outside the span, so enter it again.
		fastify.addHook("preValidation", (request, _reply, done) => {
			if (request.span === undefined) done();
			else request.span.run(done);
		});
	fastify.addHook("onResponse", (request, reply, done) => {
		request.routeVerdict?.giveBack();
		count(options.meter, request, reply);
		closeSpan(request, reply);
		report(request, () => logRequest(options.log, request, reply));
		done();
	});
}

/**
 * Logs each response and reports it to the guard of its route, or to the guard of the folder of an unknown path. The
 * guard may identify the subject of a refused request first. It does not above the rate limit, so that a flood costs no
 * reads, nor while the database is unavailable.
 */
function reportResponse(routes: readonly Route[]): (request: FastifyRequest, log: () => void) => void {
	const reporting = routes.filter(({ guard }) => guard.onResponse !== undefined);
	const folders = foldersOf(routes, ({ guard }) => guard.onResponse !== undefined).map((folder) => ({
		folder,
		guard: reporting.find(({ path }) => path.startsWith(folder))?.guard,
	}));
	return ({ incoming, refusal: error, routeOptions: { config } }, log) => {
		const guard: ObservingGuard | undefined =
			config.guard ?? folders.find(({ folder }) => incoming?.path.startsWith(folder))?.guard;
		const finish = (): void => {
			log();
			if (incoming !== undefined)
				guard?.onResponse?.(incoming, error && { error, path: shownPath(incoming.path) });
		};
		const isIdentified = error === undefined || error.kind === "rate_limited" || error.kind === "unavailable";
		if (incoming === undefined || isIdentified || guard?.identify === undefined) finish();
		// Without the client, the line is still written; the refused calls look it up again.
		else guard.identify(incoming).then(finish, finish);
	};
}

/** Whether the caller may choose the request id: on routes that allow it, and for unknown paths in their folders. */
function namedByCallers(routes: readonly Route[]): (config: FastifyContextConfig, path: string) => boolean {
	const folders = foldersOf(routes, ({ endpoint }) => endpoint.callerNamesRequest);
	return ({ callerNamesRequest }, path) => callerNamesRequest ?? isBelow(folders, path);
}

/** The checks before guard and body: transport, the `Host` header, method and path. */
function misdirectedCheck(options: ServerOptions) {
	const httpsFolders = foldersOf(options.routes, ({ guard }) => guard.transport === "https");
	const notHere = createNotHere(options);
	const transportOfUnknown = (path: string): Transport => (isBelow(httpsFolders, path) ? "https" : "any");
	return (
		{ incoming, is404 }: FastifyRequest,
		{ transport, allowed }: FastifyContextConfig,
	): AppError | undefined => {
		checkTransport(transport ?? transportOfUnknown(incoming.path), incoming, options.plainHttpNetworks);
		const hosts = incoming.headerValues("host").length;
		// RFC 9112, section 3.2.
		if (hosts > 1 || (hosts === 0 && incoming.isHttp11))
			return new AppError("request.malformed", "header host must be sent exactly once");
		if (allowed !== undefined) return methodNotAllowed(incoming.method, allowed);
		return is404 ? notHere(incoming) : undefined;
	};
}

function isBelow(folders: readonly string[], path: string): boolean {
	return folders.some((folder) => path.startsWith(folder));
}
