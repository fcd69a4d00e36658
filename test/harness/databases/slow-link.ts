// A link to a server on this machine that delays every packet, like one to a database in another zone.

import { once } from "node:events";
import net from "node:net";

export interface SlowLink {
	readonly port: number;
	/** Packets from clients so far; each waits for a response, unless it continues the one before. */
	readonly sent: number;
	close(): Promise<void>;
}

/** Forwards to the server on local port `port`; each direction takes `delayMs`. */
export async function startSlowLink(port: number, delayMs: number): Promise<SlowLink> {
	const sockets = new Set<net.Socket>();
	let sent = 0;
	const server = net.createServer({ noDelay: true }, (client) => {
		const upstream = net.connect({ port, host: "127.0.0.1", noDelay: true });
		for (const [from, to] of [
			[client, upstream],
			[upstream, client],
		] as const) {
			sockets.add(from);
			from.on("error", () => undefined);
			from.on("data", (bytes) => {
				if (from === client) sent++;
				setTimeout(() => to.write(bytes), delayMs);
			});
			from.on("close", () => void setTimeout(() => to.destroy(), delayMs));
		}
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		port: (server.address() as net.AddressInfo).port,
		get sent() {
			return sent;
		},
		async close() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}
