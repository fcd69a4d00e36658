// The HTTP and HTTPS listeners, with time limits and a shutdown that loses no request.

import http, { type IncomingMessage, type RequestListener, type Server } from "node:http";
import https from "node:https";
import net, { type AddressInfo, type Socket } from "node:net";
import { createSecureContext, type TLSSocket, type TlsOptions } from "node:tls";
import type { Connections } from "./connections.ts";
import { type MalformedResponse, respondMalformed } from "./malformed.ts";

/** Longer than the idle timeout of common load balancers, so that they close connections first. */
const KEEP_ALIVE_MS = 72_000;
/** `headersMs` also limits a TLS handshake and a connection that sends nothing. */
const TIMES: Times = { headersMs: 15_000, requestMs: 30_000, checkMs: 1_000 };
/** Bytes of a request line and its headers. Below one path, requests carry what another server received: twice as much. */
const HEAD_MAX_BYTES = 16_384;
const LARGE_HEAD_MAX_BYTES = 32_768;
/** During shutdown: how long a connection may stay open after its last response. */
const SWEEP_MS = 25;

export interface Tls {
	readonly cert: string;
	readonly key: string;
}

export interface Listeners {
	/** Starts to accept connections. A null port is off; port 0 takes any free port. */
	listen(
		host: string,
		ports: { readonly http: number | null; readonly https: number | null },
	): Promise<{ http: number | null; https: number | null }>;
	/** New connections get the new certificate; open ones keep theirs. */
	replaceTls(tls: Tls): void;
	/**
	 * Stops accepting connections, waits at most `graceMs` for running requests, and then closes the remaining
	 * connections. Idle connections stay open for `idleMs`, because a proxy may be about to use one of them.
	 */
	close(graceMs: number, idleMs: number): Promise<void>;
}

export interface ListenerOptions {
	readonly tls: Tls;
	/** The certificate for a challenge of an ACME server (RFC 8737) by name; undefined: none is pending. */
	readonly challenge?: ((servername: string) => Promise<Tls | undefined>) | undefined;
	readonly connections: Connections;
	/** Returns the response to bytes that are not HTTP, and to CONNECT. */
	readonly onMalformed: (status: number) => MalformedResponse;
	/** The path below which the head of a request may be large. */
	readonly largeHeadsBelow?: string | undefined;
	/** In milliseconds; set by tests. */
	readonly times?: Times;
}

interface Times {
	readonly headersMs: number;
	readonly requestMs: number;
	readonly checkMs: number;
}

export function createListeners(handler: RequestListener, options: ListenerOptions): Listeners {
	const { tls, connections, onMalformed, largeHeadsBelow = "/", times = TIMES } = options;
	const limits = {
		// Node would respond to a request without Host itself, before the HTTPS check and without our error body.
		requireHostHeader: false,
		maxHeaderSize: LARGE_HEAD_MAX_BYTES,
		keepAliveTimeout: KEEP_ALIVE_MS,
		// Node checks both periodically and is up to one interval late.
		headersTimeout: times.headersMs - times.checkMs,
		requestTimeout: times.requestMs - times.checkMs,
		connectionsCheckingInterval: times.checkMs,
	};
	const counted: RequestListener = (request, response) => {
		const { socket } = request;
		connections.requestBegan(socket);
		response.once("close", () => connections.requestEnded(socket));
		if (!request.url?.startsWith(largeHeadsBelow) && headBytes(request) > HEAD_MAX_BYTES)
			return respondMalformed(headOverflow(), socket, onMalformed);
		handler(request, response);
	};
	const plain = http.createServer(limits, counted);
	const secure = https.createServer(
		{
			...limits,
			...tls,
			...(options.challenge && challengeCallbacks(options.challenge)),
			minVersion: "TLSv1.2",
			handshakeTimeout: times.headersMs,
		},
		counted,
	);
	const servers: Server[] = [plain, secure];
	for (const server of servers) {
		// Node would silently drop headers after the 2000th, which could hide a repeat. The limits in bytes still apply.
		server.maxHeadersCount = 0;
		// An unknown expectation is no reason to refuse (RFC 9110, section 10.1.1); Node would return an empty 417.
		server.on("checkExpectation", counted);
		server.on("connect", (_request, socket: Socket) => respondMalformed(new Error(), socket, onMalformed));
		server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
			respondMalformed(error, socket, onMalformed),
		);
		server.prependListener("connection", (socket: Socket) => {
			surviveErrors(socket);
			connections.admit(socket);
		});
	}
	// A failed or late handshake: the peer could not read a response.
	secure.prependListener("tlsClientError", (_error, socket) => socket.destroy());
	secure.prependListener("secureConnection", (socket: TLSSocket) => {
		surviveErrors(socket);
		// A client of this protocol needs only the certificate.
		if (socket.alpnProtocol === CHALLENGE_PROTOCOL) socket.destroy();
		connections.secured(socket);
	});
	return {
		async listen(host, ports) {
			return {
				http: ports.http === null ? null : await openPort(plain, host, ports.http),
				https: ports.https === null ? null : await openPort(secure, host, ports.https),
			};
		},
		replaceTls: (next) => secure.setSecureContext({ ...next, minVersion: "TLSv1.2" }),
		async close(graceMs, idleMs) {
			const isOpen = servers.some((server) => server.listening);
			if (isOpen) await quietMoment();
			const allClosed = Promise.all(servers.map(closed));
			const cut = setTimeout(() => {
				for (const server of servers) server.closeAllConnections();
			}, graceMs);
			// Node closes the connections that are idle now and keeps those whose request is still running.
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

const CHALLENGE_PROTOCOL = "acme-tls/1";

/**
 * Serves the certificate of a pending challenge to a client that offers only its protocol. Node calls `ALPNCallback` and
 * then `SNICallback` while it reads one ClientHello; the second cannot see the protocol. A handshake without the second
 * call must not affect the next one, so the name is forgotten.
 */
function challengeCallbacks(challenge: NonNullable<ListenerOptions["challenge"]>): TlsOptions {
	let asked: string | undefined;
	return {
		ALPNCallback({ servername, protocols }) {
			if (protocols.length !== 1 || protocols[0] !== CHALLENGE_PROTOCOL)
				return protocols.includes("http/1.1") ? "http/1.1" : undefined;
			asked = servername;
			setImmediate(() => {
				asked = undefined;
			});
			return CHALLENGE_PROTOCOL;
		},
		SNICallback(servername, use) {
			const isAsked = servername === asked;
			asked = undefined;
			if (!isAsked) return use(null);
			challenge(servername).then((pair) => use(null, pair && createSecureContext(pair)), use);
		},
	};
}

/** About as Node counts: names, values, and what separates them. */
function headBytes({ url = "", rawHeaders }: IncomingMessage): number {
	let bytes = url.length;
	for (const text of rawHeaders) bytes += text.length + 2;
	return bytes;
}

/** As Node's parser reports it. */
function headOverflow(): NodeJS.ErrnoException {
	return Object.assign(new Error("the headers are too large"), { code: "HPE_HEADER_OVERFLOW" });
}

/** Node removes its own error listener from sockets it passes to `connect`: a reset would end the process. */
function surviveErrors(socket: Socket): void {
	socket.on("error", () => undefined);
}

/** Returns the actual port, which the kernel chooses for port 0. @throws the error of `listen` */
export function openPort(server: Server, host: string, port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, 1024, () => {
			server.off("error", reject);
			resolve((server.address() as AddressInfo).port);
		});
	});
}

/** Closes only the listening socket: Node's `Server.close` would close idle connections too. */
function closed(server: Server): Promise<void> {
	return new Promise((resolve) => {
		// The only possible error is "not running".
		net.Server.prototype.close.call(server, () => {
			server.close();
			resolve();
		});
	});
}

/**
 * Waits for a turn of the event loop with little other work, at most 100 turns. Closing the listener loses connections
 * that the kernel has accepted but the process has not; right after a poll of the sockets, there are few of them.
 */
async function quietMoment(): Promise<void> {
	for (let turn = 0; turn < 100; turn++) {
		const began = performance.now();
		await new Promise((resolve) => setImmediate(resolve));
		if (performance.now() - began < 0.3) return;
	}
}
