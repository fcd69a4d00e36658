// A name server on this machine that serves TXT records over UDP and TCP (RFC 1035).

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/** `silent`: no response. `loop`: an alias of itself. Names without an entry do not exist. */
type Zone = readonly string[] | "silent" | "loop";

export interface NameServer extends AsyncDisposable {
	/** For `setServers`. */
	readonly address: string;
	/** The names that were asked for, in order. */
	readonly asked: string[];
	set(name: string, zone: Zone): void;
}

const UDP_MAX = 512;
const TXT = 16;
const CNAME = 5;
const ATTEMPTS_MAX = 20;

export async function startNameServer(): Promise<NameServer> {
	const zones = new Map<string, Zone>();
	const asked: string[] = [];
	const respond = (query: Buffer, limit: number): Buffer | undefined => {
		const { name, end } = readName(query);
		asked.push(name);
		const zone = zones.get(name);
		if (zone === "silent") return undefined;
		const question = query.subarray(12, end + 4);
		const answers =
			zone === "loop"
				? [record(CNAME, question.subarray(0, -4))]
				: (zone ?? []).map((text) => record(TXT, textParts(text)));
		const whole = message(query, question, answers, zone === undefined ? 3 : 0);
		return whole.length <= limit ? whole : message(query, question, [], 0, true);
	};
	const tcp = createServer((socket) => {
		socket.on("error", () => socket.destroy());
		socket.once("data", (data: Buffer) => {
			const response = respond(data.subarray(2), 65_535);
			if (response === undefined) return;
			const length = Buffer.alloc(2);
			length.writeUInt16BE(response.length);
			socket.end(Buffer.concat([length, response]));
		});
	});
	const { udp, port } = await bindBoth(tcp);
	udp.on("message", (query, from) => {
		const response = respond(query, UDP_MAX);
		if (response !== undefined) udp.send(response, from.port, from.address);
	});
	return {
		address: `127.0.0.1:${port}`,
		asked,
		set: (name, zone) => void zones.set(name, zone),
		async [Symbol.asyncDispose]() {
			udp.close();
			await new Promise((resolve) => tcp.close(resolve));
		},
	};
}

/** A port that is free for TCP may be in use for UDP: tries another one then. */
async function bindBoth(tcp: Server): Promise<{ readonly udp: Socket; readonly port: number }> {
	for (let attempt = 1; ; attempt++) {
		await once(tcp.listen(0, "127.0.0.1"), "listening");
		const { port } = tcp.address() as AddressInfo;
		const udp = createSocket("udp4");
		udp.bind(port, "127.0.0.1");
		try {
			await once(udp, "listening");
			return { udp, port };
		} catch (error) {
			await once(tcp.close(), "close");
			if (attempt === ATTEMPTS_MAX) throw error;
		}
	}
}

function readName(query: Buffer): { readonly name: string; readonly end: number } {
	const labels: string[] = [];
	let at = 12;
	for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
		labels.push(query.toString("latin1", at + 1, at + 1 + length));
		at += length + 1;
	}
	return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function message(
	query: Buffer,
	question: Buffer,
	answers: readonly Buffer[],
	code: number,
	cut = false,
): Buffer {
	const header = Buffer.alloc(12);
	query.copy(header, 0, 0, 2);
	header.writeUInt16BE(0x8180 | code | (cut ? 0x0200 : 0), 2);
	header.writeUInt16BE(1, 4);
	header.writeUInt16BE(answers.length, 6);
	return Buffer.concat([header, question, ...answers]);
}

/** Of the name in the question. */
function record(type: number, data: Buffer): Buffer {
	const head = Buffer.alloc(12);
	head.writeUInt16BE(0xc00c, 0);
	head.writeUInt16BE(type, 2);
	head.writeUInt16BE(1, 4);
	head.writeUInt16BE(data.length, 10);
	return Buffer.concat([head, data]);
}

function textParts(text: string): Buffer {
	const bytes = Buffer.from(text);
	const parts: Buffer[] = [];
	for (let from = 0; from < bytes.length || from === 0; from += 255) {
		const part = bytes.subarray(from, from + 255);
		parts.push(Buffer.from([part.length]), part);
	}
	return Buffer.concat(parts);
}
