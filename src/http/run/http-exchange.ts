// One request with its response. The only file that writes responses.

import { once } from "node:events";
import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from "node:http";
import { performance } from "node:perf_hooks";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AppError } from "../../kernel/error.ts";
import type { ServerSpan } from "../../kernel/tracing.ts";
import type { Incoming } from "./incoming.ts";
import type { RouteVerdict } from "./rate-limit.ts";
import type { Addressed } from "./resource-rules.ts";

/** In lower case. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/** Statuses whose responses have no body. */
const BODILESS: readonly number[] = [204, 304];

export class HttpExchange {
	readonly message: IncomingMessage;
	readonly #response: ServerResponse;
	readonly #commonHeaders: ResponseHeaders;
	readonly #startMs = performance.now();
	readonly incoming: Incoming;
	readonly found: Addressed;
	caller: unknown = undefined;
	body: unknown = undefined;
	refusal: AppError | undefined = undefined;
	/** The response is an intended 5xx, such as a failing probe during shutdown, and not an error of the service. */
	isPlannedFailure = false;
	/** Set until the guard has decided, on routes that have their own limit. */
	routeVerdict: RouteVerdict | undefined = undefined;
	/** Set until the request is counted by key, on a resource with `countedLater`. */
	provisional: RouteVerdict | undefined = undefined;
	span: ServerSpan | undefined = undefined;

	/** @param commonHeaders sent with every response, errors included. */
	constructor(
		message: IncomingMessage,
		response: ServerResponse,
		found: Addressed,
		incoming: Incoming,
		commonHeaders: ResponseHeaders,
	) {
		this.message = message;
		this.#response = response;
		this.#commonHeaders = commonHeaders;
		this.incoming = incoming;
		this.found = found;
	}

	get resource(): Addressed["resource"] {
		return this.found.resource;
	}

	get status(): number {
		return this.#response.statusCode;
	}

	get elapsedMs(): number {
		return performance.now() - this.#startMs;
	}

	/** Whether the client took the whole response. Final once the response is closed. */
	get isComplete(): boolean {
		return this.#response.writableFinished;
	}

	/**
	 * Sends the response, or throws if one has begun. Node omits the body for HEAD. Text without a content type is
	 * `text/plain`.
	 */
	send(status: number, headers: ResponseHeaders, body?: string | Buffer): void {
		const sent: Record<string, string | readonly string[]> = {
			...this.#commonHeaders,
			...this.incoming.extraHeaders,
			...headers,
		};
		if (typeof body === "string") sent["content-type"] ??= "text/plain; charset=utf-8";
		if (BODILESS.includes(status)) delete sent["content-length"];
		else sent["content-length"] = body === undefined ? "0" : String(Buffer.byteLength(body));
		this.#writeHead(status, sent).end(body);
	}

	/** Rejects with an error of the source. Before its first part, another response can still be sent. */
	async stream(status: number, headers: ResponseHeaders, body: Readable): Promise<void> {
		const sent = { ...this.#commonHeaders, ...headers };
		if (this.message.method === "HEAD") {
			body.destroy();
			this.#writeHead(status, sent).end();
			return;
		}
		await once(body, "readable");
		if (this.#response.destroyed) {
			// The client disconnected before the first part.
			body.destroy();
			return;
		}
		try {
			await pipeline(body, this.#writeHead(status, sent));
		} catch (error) {
			// The client has disconnected: the report of the response says so.
			if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
		}
	}

	/** Closes the connection, so that a partial response never looks complete. */
	abort(): void {
		this.#response.destroy();
	}

	/** With its own reason phrase: Node would keep that of a response that failed. */
	#writeHead(status: number, headers: ResponseHeaders): ServerResponse {
		if (BODILESS.includes(this.status)) throw new Error("Node omits the body after a 204 or 304 that failed");
		return this.#response.writeHead(status, STATUS_CODES[status], headers as OutgoingHttpHeaders);
	}
}
