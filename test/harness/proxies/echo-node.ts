// A stand-in for a node behind a proxy that records every byte it receives.

import { once } from "node:events";
import http from "node:http";

export interface Received {
	readonly method: string;
	readonly target: string;
	/** By lower-case name; all values in order. */
	readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
	/** All values of a header in order. */
	values(name: string): readonly string[];
	readonly body: Buffer;
	/** The remote port of the connection. */
	readonly remotePort: number;
}

export interface EchoNode {
	readonly port: number;
	/** In order of arrival, without the health checks of the proxy. */
	readonly received: readonly Received[];
	close(): Promise<void>;
}

/** Returns 200 `{}` for every request; default: on a free port. */
export async function startEchoNode(port = 0): Promise<EchoNode> {
	const received: Received[] = [];
	const server = http.createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("error", () => undefined);
		request.on("end", () => {
			const { method = "", url = "", headersDistinct: headers } = request;
			const body = Buffer.concat(chunks);
			const values = (name: string): readonly string[] => headers[name] ?? [];
			const remotePort = request.socket.remotePort ?? 0;
			if (url !== "/health") received.push({ method, target: url, headers, values, body, remotePort });
			response.writeHead(200, { "content-type": "application/json", "content-length": 2 }).end("{}");
		});
	});
	await once(server.listen(port, "127.0.0.1"), "listening");
	const address = server.address();
	return {
		port: typeof address === "object" && address !== null ? address.port : 0,
		received,
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}
