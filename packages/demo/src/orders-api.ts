// The API of ten lines behind a gate: it asks the gate about each request, and knows nothing else about the service.

import { createServer, type ServerOptions } from "node:https";
import { buffer } from "node:stream/consumers";
import type { Gate } from "../../client/src/gate.ts";

export function ordersApi(gate: Gate, tls: ServerOptions) {
	return createServer(tls, async (request, response) => {
		const { method = "", url: target = "", headersDistinct, socket } = request;
		const body = new Uint8Array(await buffer(request));
		const header = (name: string) => headersDistinct[name]?.join(", ");
		const ip = socket.remoteAddress ?? "";
		const decision = await gate({ method, target, scheme: "https", ip, header, body });
		if ("status" in decision) response.writeHead(decision.status, decision.headers).end(decision.body);
		else response.end(JSON.stringify({ order: target, caller: decision.caller.name }));
	});
}
