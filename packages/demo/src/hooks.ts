// Receivers of webhooks: `/crm` accepts every delivery, and `/billing` fails, as a broken system does.

import { once } from "node:events";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";

export async function startHooks(tls: ServerOptions) {
	const server = createServer(tls, (request, response) => {
		request.resume().on("end", () => {
			if (request.url === "/billing")
				response.writeHead(500, { "content-type": "text/plain" }).end("the database of this example is down");
			else response.writeHead(204).end();
		});
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	return { server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
