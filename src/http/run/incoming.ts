// A request as the toolkit, guards, and endpoints see it. No other code reads the message or its socket.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Cidr } from "../../kernel/ip.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { BrowserSession } from "./browser-session.ts";
import { type ClientAddress, clientAddress, headerValues } from "./client-address.ts";

const USER_AGENT_MAX = 512;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const NO_BODY = Buffer.alloc(0);

interface IncomingOptions {
	readonly trustedProxies: readonly Cidr[];
	/** Creates a request id if the request has none or may not choose one. */
	readonly newRequestId: () => string;
}

/** One request. Created once, before any check; `rawBody` is set when the body has arrived. */
export class Incoming implements Origin {
	readonly #message: IncomingMessage;
	/** The target as it is looked up. */
	readonly #url: string;
	readonly requestId: string;
	/** Canonical text of the client address: the socket's, or the one a trusted proxy reports. */
	readonly ip: string;
	readonly scheme: "http" | "https";
	/** Whether the client is known to use plain HTTP. */
	readonly isClearText: boolean;
	/** Whether a trusted proxy sent this request. */
	readonly proxied: boolean;
	/** The `{…}` of the path as sent, decoded. Not checked yet. */
	pathParameters: Readonly<Record<string, string | undefined>> = {};
	/** The bytes of the body as received. */
	rawBody: Buffer = NO_BODY;
	/** The subject of the request, for the log. Guards also set it for requests that they refuse. */
	tenantId: string | undefined = undefined;
	userId: string | undefined = undefined;
	clientId: string | undefined = undefined;
	keyId: string | undefined = undefined;
	/** Set on endpoints that use sessions, when the request asks for the cookie or carries it. */
	browserSession: BrowserSession | undefined = undefined;
	/** Whether the client of `clientId` has signed this request. */
	isSigned = false;
	/** Headers that the guard adds to the response, errors included. */
	extraHeaders: Readonly<Record<string, string>> | undefined = undefined;

	private constructor(message: IncomingMessage, url: string, requestId: string, client: ClientAddress) {
		this.#message = message;
		this.#url = url;
		this.requestId = requestId;
		this.ip = client.ip;
		this.scheme = client.scheme;
		this.isClearText = client.isClearText;
		this.proxied = client.proxied;
	}

	/**
	 * `url` is the target as it is looked up. Uses the request id from `X-Request-Id` if a trusted proxy sent the request
	 * or `mayName` is set, and the header is well formed and occurs once. Undefined if the peer has disconnected.
	 */
	static from(
		message: IncomingMessage,
		url: string,
		mayName: boolean,
		options: IncomingOptions,
	): Incoming | undefined {
		const client = clientAddress(message, options.trustedProxies);
		if (client === undefined) return undefined;
		const [id, ...others] = client.proxied || mayName ? headerValues(message, "x-request-id") : [];
		const isUsable = id !== undefined && others.length === 0 && REQUEST_ID.test(id);
		return new Incoming(message, url, isUsable ? id : options.newRequestId(), client);
	}

	get method(): string {
		return this.#message.method ?? "";
	}

	/** The request target exactly as on the request line, undecoded. */
	get target(): string {
		return this.#message.url ?? "";
	}

	/** The path that is looked up: `target` in origin form, without its query. */
	get path(): string {
		const end = this.#url.indexOf("?");
		return end === -1 ? this.#url : this.#url.slice(0, end);
	}

	/** The query of the target with its `?`; `""` without one. */
	get queryText(): string {
		const start = this.target.indexOf("?");
		return start === -1 ? "" : this.target.slice(start);
	}

	get isHttp11(): boolean {
		return this.#message.httpVersion === "1.1";
	}

	get headers(): IncomingHttpHeaders {
		return this.#message.headers;
	}

	/** Every value of a header, in the order sent; `name` in lower case. */
	headerValues(name: string): readonly string[] {
		return headerValues(this.#message, name);
	}

	get contentType(): string | undefined {
		return this.headerValues("content-type")[0];
	}

	/** `""` without one. */
	get contentEncoding(): string {
		return this.headerValues("content-encoding").join(", ");
	}

	get accept(): string {
		return this.#message.headers.accept ?? "";
	}

	get userAgent(): string {
		return (this.#message.headers["user-agent"] ?? "").slice(0, USER_AGENT_MAX);
	}

	get acceptLanguage(): string {
		return this.#message.headers["accept-language"] ?? "";
	}
}
