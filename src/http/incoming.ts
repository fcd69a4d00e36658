// A request as guards and endpoints see it: raw where the signature needs it raw, and with the caller's true address.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Origin } from "../kernel/origin.ts";

const USER_AGENT_MAX = 512;
const NO_BODY = Buffer.alloc(0);

/** One request. Made before anything else looks at it; `rawBody` is filled in once the body has arrived. */
export class Incoming implements Origin {
	readonly #message: IncomingMessage;
	readonly requestId: string;
	/** Canonical text of the client address: the socket's, or what a trusted proxy reports. */
	readonly ip: string;
	readonly scheme: "http" | "https";
	/** The bytes of the body as they came. */
	rawBody: Buffer = NO_BODY;

	constructor(message: IncomingMessage, requestId: string, ip: string, scheme: "http" | "https") {
		this.#message = message;
		this.requestId = requestId;
		this.ip = ip;
		this.scheme = scheme;
	}

	get method(): string {
		return this.#message.method ?? "";
	}

	/** Exactly what stood on the request line, nothing decoded. */
	get target(): string {
		return (this.#message as { originalUrl?: string }).originalUrl ?? this.#message.url ?? "";
	}

	get headers(): IncomingHttpHeaders {
		return this.#message.headers;
	}

	/** Every value of a header that was sent, in order; `name` in lower case. Node would join or drop repeats. */
	headerValues(name: string): readonly string[] {
		return sentValues(this.#message, name);
	}

	get contentType(): string | undefined {
		return this.headerValues("content-type")[0];
	}

	get userAgent(): string {
		return (this.#message.headers["user-agent"] ?? "").slice(0, USER_AGENT_MAX);
	}

	get acceptLanguage(): string {
		return this.#message.headers["accept-language"] ?? "";
	}
}

/** As `Incoming.headerValues`; cheaper than `headers`, which Node makes an object of only when it is asked for. */
export function sentValues({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
	const values: string[] = [];
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const header = rawHeaders[index] as string;
		if (header.length === name.length && header.toLowerCase() === name)
			values.push(rawHeaders[index + 1] as string);
	}
	return values;
}
