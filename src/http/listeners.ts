// The two sockets of the service, HTTP and HTTPS, their time limits, and how they are closed without losing a request.

import http, { type RequestListener, type Server } from "node:http";
import https from "node:https";
import net, { type AddressInfo, type Socket } from "node:net";

/** Longer than the idle time of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 72_000;
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** While closing: how long a connection whose last request was answered may stay. */
const SWEEP_MS = 25;

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
	/**
	 * Stops accepting, waits for running requests at most `graceMs`, then cuts what is left. Kept connections that are idle
	 * stay for `idleMs`: a proxy may be about to send over one of them.
	 */
	close(graceMs: number, idleMs: number): Promise<void>;
}

/** The answer to bytes that are no HTTP request. */
export interface MalformedAnswer {
	/** JSON text. */
	readonly body: string;
	readonly requestId: string;
}

/** `onMalformed` is asked for the answer to bytes that are no HTTP request, and to CONNECT: this is no tunnel. */
export function createListeners(
	handler: RequestListener,
	tls: Tls,
	onMalformed: (status: number) => MalformedAnswer,
): Listeners {
	const options = {
		// Node would answer a request without Host by itself, in no shape of ours and before HTTPS was asked for.
		requireHostHeader: false,
		keepAliveTimeout: KEEP_ALIVE_MS,
		headersTimeout: HEADERS_TIMEOUT_MS,
		requestTimeout: REQUEST_TIMEOUT_MS,
	};
	const plain = http.createServer(options, handler);
	const secure = https.createServer({ ...options, ...tls, minVersion: "TLSv1.2" }, handler);
	const servers: Server[] = [plain, secure];
	for (const server of servers) {
		// Node would drop what follows the 2000th header without a word: a repeat could hide there. 16 KiB bound them.
		server.maxHeadersCount = 0;
		// An expectation we do not know is no reason to refuse (RFC 9110, section 10.1.1); Node would, with an empty 417.
		server.on("checkExpectation", handler);
		server.on("connect", (_request, socket: Socket) => answerMalformed(new Error(), socket, onMalformed));
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
		async close(graceMs, idleMs) {
			const isOpen = servers.some((server) => server.listening);
			if (isOpen) await quietMoment();
			const allClosed = Promise.all(servers.map(closed));
			const cut = setTimeout(() => {
				for (const server of servers) server.closeAllConnections();
			}, graceMs);
			// Node closes connections that are idle now; one whose request is still running would be kept alive after it.
			let sweep: NodeJS.Timeout | undefined;
			const wait = setTimeout(
				() => {
					sweep = setInterval(() => {
						for (const server of servers) server.closeIdleConnections();
					}, SWEEP_MS);
				},
				Math.min(idleMs, graceMs),
			);
			await allClosed;
			clearTimeout(cut);
			clearTimeout(wait);
			clearInterval(sweep);
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

/** The listener alone: `Server.close` of Node's would close idle connections with it. */
function closed(server: Server): Promise<void> {
	return new Promise((resolve) => {
		// The only error close() gives is "was not running": then it is closed.
		net.Server.prototype.close.call(server, () => {
			server.close();
			resolve();
		});
	});
}

/**
 * Connections nobody has accepted yet die with their listener, the request in them unread. So it is closed right after a
 * look at the sockets, in a turn that had little else to do; on a busy process the wait for one ends after a while.
 */
async function quietMoment(): Promise<void> {
	for (let turn = 0; turn < 100; turn++) {
		const began = performance.now();
		await new Promise((resolve) => setImmediate(resolve));
		if (performance.now() - began < 0.3) return;
	}
}

function answerMalformed(
	error: NodeJS.ErrnoException,
	socket: Socket,
	answer: (status: number) => MalformedAnswer,
): void {
	if (error.code === "ECONNRESET" || !socket.writable) {
		socket.destroy();
		return;
	}
	const status =
		error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
	const { body, requestId } = answer(status);
	socket.end(
		`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nConnection: close\r\nX-Request-Id: ${requestId}\r\n` +
			`Cache-Control: no-store\r\nContent-Type: application/json; charset=utf-8\r\n` +
			`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
	);
}
