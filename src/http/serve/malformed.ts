// Responds to bytes that are not HTTP, directly on the socket.

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** The response to bytes that are not HTTP. */
export interface MalformedResponse {
	/** JSON text. */
	readonly body: string;
	readonly requestId: string;
	/** Further headers. */
	readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Time for the peer to read the response and close, before the connection is destroyed. */
const LINGER_MS = 1_000;

/**
 * Sends 431, 408 or 400 by the code of the parser's error, and closes the connection even if the peer does not.
 */
export function respondMalformed(
	error: NodeJS.ErrnoException,
	socket: Socket,
	response: (status: number) => MalformedResponse,
): void {
	if (error.code === "ECONNRESET" || !socket.writable) {
		socket.destroy();
		return;
	}
	const status =
		error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
	const { body, requestId, headers = {} } = response(status);
	const further = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.end(
		`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nX-Request-Id: ${requestId}\r\n` +
			`Cache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\n` +
			`Content-Length: ${Buffer.byteLength(body)}\r\n${further.join("")}\r\n${body}`,
	);
	// Node no longer limits this connection. Unread bytes would turn its end into a reset, which loses the response.
	socket.resume();
	const linger = setTimeout(() => socket.destroy(), LINGER_MS);
	socket.once("end", () => socket.destroySoon()).once("close", () => clearTimeout(linger));
}

/** The message for bytes that are not an HTTP request, by status (400, 408, 431). */
export function malformedMessage(status: number): string {
	if (status === 431) return "request headers are too large";
	return status === 408 ? "the request took too long to arrive" : "the request is malformed";
}
