// Sends a request byte by byte to a server of Node.js, with targets and repeated headers that clients would change.

import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

export interface RawRequest {
	readonly method: string;
	readonly target: string;
	readonly headers: readonly (readonly string[])[];
	readonly body: Uint8Array;
}

/** @returns the whole response */
export async function connectionTo(
	listener: RequestListener,
	{ method, target, headers, body }: RawRequest,
): Promise<string> {
	const server = createServer(listener).listen(0, "127.0.0.1");
	try {
		await once(server, "listening");
		const address = server.address();
		if (address === null || typeof address === "string") throw new Error("the server has no port");
		const socket = connect(address.port, "127.0.0.1");
		const lines = [
			["host", "orders.example"],
			["connection", "close"],
			["content-length", String(body.length)],
			...headers,
		];
		socket.write(
			`${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
		);
		socket.write(body);
		return await text(socket);
	} finally {
		server.close();
	}
}
