// Sends one signed request over TLS, byte for byte.

import type { ClientRequest, IncomingMessage } from "node:http";
import https from "node:https";
import { buffer } from "node:stream/consumers";
import { StartError, usageError } from "../kernel/start-error.ts";

const TIMEOUT_MS = 30_000;

export interface SignedRequest {
	readonly method: string;
	/** `https://host[:port]`, as typed. */
	readonly origin: string;
	/** Path and query, as typed. */
	readonly target: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer | undefined;
	/** Accept any certificate. */
	readonly insecure: boolean;
}

interface Reply {
	readonly status: number;
	readonly text: string;
}

/** @throws StartError when the URL is not https, or there is no response within 30 s. */
export async function sendRequest(signed: SignedRequest): Promise<Reply> {
	const { method, origin, target: path, headers, body, insecure } = signed;
	const { protocol, hostname, port } = new URL(origin);
	if (protocol !== "https:") throw usageError("open APIs require HTTPS; use an https:// URL");
	const request = https.request({
		// URL keeps the brackets of an IPv6 address; sockets expect it without them.
		host: hostname.replace(/^\[|\]$/g, ""),
		port: port === "" ? 443 : Number(port),
		method,
		path,
		headers: { ...headers, ...(body && { "Content-Length": String(body.length) }) },
		rejectUnauthorized: !insecure,
		signal: AbortSignal.timeout(TIMEOUT_MS),
	});
	try {
		return await readReply(await responseTo(request, body));
	} catch (cause) {
		throw new StartError(`${origin} did not respond: ${reasonOf(cause)}`, { cause, kind: "away" });
	}
}

/** Sends the body. An error after the response began ends its stream. */
export function responseTo(request: ClientRequest, body?: Buffer): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		request.on("response", resolve).on("error", reject).end(body);
	});
}

/** With the whole body. */
export async function readReply(response: IncomingMessage): Promise<Reply> {
	return { status: response.statusCode ?? 0, text: (await buffer(response)).toString("utf8") };
}

/** Why there was no response, for the end of a message. */
export function reasonOf(cause: unknown): string {
	if (!(cause instanceof Error)) return String(cause);
	if (cause.name === "AbortError" || cause.name === "TimeoutError")
		return `no response within ${TIMEOUT_MS / 1000} s`;
	const code = "code" in cause ? String(cause.code) : "";
	if (code === "DEPTH_ZERO_SELF_SIGNED_CERT" || code === "SELF_SIGNED_CERT_IN_CHAIN")
		return "its certificate is self-signed; --insecure accepts it";
	if (code === "EPROTO") return "it does not speak TLS (EPROTO)";
	// The aggregate error of several failed IP addresses has an empty message.
	return cause.message || code;
}
