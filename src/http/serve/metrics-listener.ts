// The listener for `GET /metrics`: a separate port, so that clients of the service cannot read its metrics.

import http from "node:http";
import { openPort } from "./listeners.ts";

export interface MetricsText {
	readonly contentType: string;
	render(): Promise<string>;
}

export interface MetricsListener {
	readonly port: number;
	close(): Promise<void>;
}

const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };

/** Serves only `/metrics`, without TLS or authentication: access to the port is the permission. */
export async function openMetricsListener(
	host: string,
	port: number,
	metrics: MetricsText,
): Promise<MetricsListener> {
	const server = http.createServer(
		{ requestTimeout: 10_000, headersTimeout: 10_000 },
		(request, response) => {
			respond(request, metrics).then(
				({ status, headers, body }) => response.writeHead(status, headers).end(body),
				() => response.writeHead(500, JSON_HEADERS).end('{"error":"Internal server error"}'),
			);
		},
	);
	// Otherwise a reset after CONNECT would be an uncaught exception.
	server.on("connection", (socket) => socket.on("error", () => undefined));
	return {
		port: await openPort(server, host, port),
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

async function respond(
	request: http.IncomingMessage,
	metrics: MetricsText,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
	const path = (request.url ?? "").split("?", 1)[0];
	if (path !== "/metrics")
		return { status: 404, headers: JSON_HEADERS, body: '{"error":"no such resource"}' };
	if (request.method !== "GET" && request.method !== "HEAD") {
		const headers = { ...JSON_HEADERS, allow: "GET, HEAD" };
		return { status: 405, headers, body: '{"error":"only GET is allowed here"}' };
	}
	const body = await metrics.render();
	return {
		status: 200,
		headers: { "content-type": metrics.contentType, "cache-control": "no-store" },
		body: request.method === "HEAD" ? "" : body,
	};
}
