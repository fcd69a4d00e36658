// A partial stand-in for a pooler in transaction mode: it reports its own process id and counts named statements.

import { once } from "node:events";
import net from "node:net";

export interface Pooler {
	readonly port: number;
	/** Statements that were prepared by name: a real pooler would lose them. */
	readonly namedStatements: number;
	close(): Promise<void>;
}

const BACKEND_KEY_DATA = "K".charCodeAt(0);
const PARSE = "P".charCodeAt(0);

/** Forwards everything to the server on local port `port`. */
export async function startPooler(port: number): Promise<Pooler> {
	let named = 0;
	const sockets = new Set<net.Socket>();
	const server = net.createServer((client) => {
		const upstream = net.connect(port, "127.0.0.1");
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on("error", () => undefined);
			socket.on("close", () => {
				client.destroy();
				upstream.destroy();
			});
		}
		const fromServer = eachMessage(false, (message) => {
			if (message[0] === BACKEND_KEY_DATA) message.writeInt32BE(4_242, 5);
			client.write(message);
		});
		const fromClient = eachMessage(true, (message) => {
			if (message[0] === PARSE && message[5] !== 0) named++;
			upstream.write(message);
		});
		upstream.on("data", fromServer);
		client.on("data", fromClient);
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	const address = server.address();
	return {
		port: typeof address === "object" && address !== null ? address.port : 0,
		get namedStatements() {
			return named;
		},
		async close() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}

/** Splits the protocol stream into messages: a letter and a length; the client's first message has no letter. */
function eachMessage(isClient: boolean, handle: (message: Buffer) => void): (chunk: Buffer) => void {
	let rest = Buffer.alloc(0);
	let hasLetter = !isClient;
	return (chunk) => {
		rest = Buffer.concat([rest, chunk]);
		for (;;) {
			const letter = hasLetter ? 1 : 0;
			if (rest.length < letter + 4) return;
			const length = letter + rest.readInt32BE(letter);
			if (rest.length < length) return;
			handle(rest.subarray(0, length));
			rest = rest.subarray(length);
			hasLetter = true;
		}
	};
}
