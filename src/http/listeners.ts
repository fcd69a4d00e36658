// The two sockets of the service, HTTP and HTTPS, their time limits, and how they are closed without losing a request.

import http, { type RequestListener, type Server } from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";

/** Longer than the idle time of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 72_000;
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 30_000;

export interface Tls {
	readonly cert: string;
	readonly key: string;
}

export interface Listeners {
	/** The server Fastify may call its own; it is never listened on or closed through it. */
	readonly primary: Server;
	/** Starts to accept; null leaves that one off, port 0 takes any free port. */
	listen(
		host: string,
		ports: { readonly http: number | null; readonly https: number | null },
	): Promise<{ http: number | null; https: number | null }>;
	/** New connections get the new certificate, running ones go on. */
	replaceTls(tls: Tls): void;
	/** Stops accepting, waits for running requests at most `graceMs`, then cuts what is left. */
	close(graceMs: number): Promise<void>;
}

/** `onMalformed` makes the body of an answer to bytes that are no HTTP request. */
export function createListeners(
	handler: RequestListener,
	tls: Tls,
	onMalformed: (status: number) => string,
): Listeners {
	const options = {
		keepAliveTimeout: KEEP_ALIVE_MS,
		headersTimeout: HEADERS_TIMEOUT_MS,
		requestTimeout: REQUEST_TIMEOUT_MS,
	};
	const plain = http.createServer(options, handler);
	const secure = https.createServer({ ...options, ...tls, minVersion: "TLSv1.2" }, handler);
	const servers: Server[] = [plain, secure];
	for (const server of servers) {
		server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
			answerMalformed(error, socket, onMalformed),
		);
	}
	return {
		primary: plain,
		async listen(host, ports) {
			return { http: await open(plain, host, ports.http), https: await open(secure, host, ports.https) };
		},
		replaceTls: (next) => secure.setSecureContext({ ...next, minVersion: "TLSv1.2" }),
		async close(graceMs) {
			const cut = setTimeout(() => {
				for (const server of servers) server.closeAllConnections();
			}, graceMs);
			await Promise.all(servers.map(closed));
			clearTimeout(cut);
		},
	};
}

function open(server: Server, host: string, port: number | null): Promise<number | null> {
	if (port === null) return Promise.resolve(null);
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, 1024, () => {
			server.off("error", reject);
			resolve((server.address() as AddressInfo).port);
		});
	});
}

function closed(server: Server): Promise<void> {
	return new Promise((resolve) => {
		// The only error close() gives is "was not running": then it is closed.
		server.close(() => resolve());
	});
}

function answerMalformed(
	error: NodeJS.ErrnoException,
	socket: Socket,
	body: (status: number) => string,
): void {
	if (error.code === "ECONNRESET" || !socket.writable) {
		socket.destroy();
		return;
	}
	const status =
		error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
	const text = body(status);
	socket.end(
		`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
			`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
	);
}
