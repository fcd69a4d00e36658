// Sends requests to a pipeline without a listener: over a pair of streams in memory.

import http, { type IncomingMessage, type RequestListener } from "node:http";
import { type Duplex, duplexPair } from "node:stream";

export interface MemoryRequest {
	readonly method: string;
	/** Path and query, percent-encoded. */
	readonly target: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer | undefined;
}

/** The pipeline needs the address of a peer, and accepts passwords in clear text from this machine only. */
const THIS_MACHINE = "127.0.0.1";

/** The response to a request, as soon as its head has arrived. */
export function requestInMemory(
	listener: RequestListener,
	{ method, target, headers, body }: MemoryRequest,
): Promise<IncomingMessage> {
	const [near, far] = duplexPair();
	http.createServer(listener).emit("connection", withAddress(far));
	return new Promise((resolve, reject) => {
		const length = body === undefined ? {} : { "content-length": String(body.length) };
		http
			.request({
				method,
				path: target,
				headers: { ...headers, ...length, connection: "close" },
				createConnection: () => near,
			})
			.on("response", resolve)
			.on("error", reject)
			.end(body);
	});
}

function withAddress(stream: Duplex): Duplex {
	return Object.defineProperty(stream, "remoteAddress", { value: THIS_MACHINE });
}
