import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import tls from "node:tls";
import { makeCertificate } from "../../test/harness/certificate.ts";
import { Connections } from "./connections.ts";
import { createListeners, type Listeners } from "./listeners.ts";

/** Small enough to wait for, and far above the scheduling of a busy machine. */
const HEADERS_MS = 800;
const REQUEST_MS = 1_600;
const LINGER_MS = 1_000;
/** What a busy machine may add. */
const SLACK_MS = 700;

const connections = new Connections({ total: 0, perAddress: 0, trustedProxies: [] }, () => undefined);
let listeners: Listeners;
let ports: { http: number | null; https: number | null };

before(async () => {
	listeners = createListeners((request, response) => request.on("end", () => response.end()).resume(), {
		tls: await makeCertificate("listeners"),
		connections,
		onMalformed: () => ({ body: "{}", requestId: "r" }),
		times: { headersMs: HEADERS_MS, requestMs: REQUEST_MS, checkMs: 100 },
	});
	ports = await listeners.listen("127.0.0.1", { http: 0, https: 0 });
});
after(() => listeners.close(0, 0));

/** Milliseconds until the service has closed a connection over which only these bytes were sent, and what it sent. */
async function lifeOf(bytes: string, secure: boolean): Promise<{ ms: number; text: string }> {
	const port = secure ? ports.https : ports.http;
	const raw = net.connect({ host: "127.0.0.1", port: port as number, allowHalfOpen: true });
	const socket: Socket = secure ? tls.connect({ socket: raw, rejectUnauthorized: false }) : raw;
	for (const end of [raw, socket]) end.on("error", () => undefined);
	await once(socket, secure ? "secureConnect" : "connect");
	const began = performance.now();
	let text = "";
	socket.on("data", (chunk) => {
		text += chunk;
	});
	socket.write(bytes);
	await new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
	raw.destroy();
	return { ms: performance.now() - began, text };
}

const BODY = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx";

describe("a connection is ended within its bound", () => {
	for (const secure of [false, true]) {
		const over = secure ? "over TLS" : "in clear";
		for (const [what, bytes, boundMs] of [
			["that sends nothing", "", HEADERS_MS],
			["that never ends its headers", "GET / HTTP/1.1\r\nHost: a\r\n", HEADERS_MS],
			["that never ends its body", BODY, REQUEST_MS],
		] as const) {
			it(`${what}, ${over}`, async () => {
				const { ms, text } = await lifeOf(bytes, secure);
				assert.match(text, /^HTTP\/1\.1 408 /);
				assert.ok(ms < boundMs + SLACK_MS, String(ms));
			});
		}
	}

	it("that never finishes its TLS handshake", async () => {
		const socket = net.connect({ host: "127.0.0.1", port: ports.https as number });
		socket.on("error", () => undefined);
		await once(socket, "connect");
		const began = performance.now();
		socket.write("\x16\x03\x01");
		await new Promise((resolve) => socket.resume().once("close", resolve));
		assert.ok(performance.now() - began < HEADERS_MS + SLACK_MS);
	});
});

describe("a peer that does not close its side", () => {
	for (const [what, bytes, boundMs] of [
		["after 408", "", HEADERS_MS],
		["after 400", "nonsense\r\n\r\n", 0],
		["after CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 0],
	] as const) {
		it(`${what} keeps no connection`, async () => {
			const socket = net.connect({ host: "127.0.0.1", port: ports.http as number, allowHalfOpen: true });
			socket.on("error", () => undefined);
			await once(socket, "connect");
			socket.write(bytes);
			socket.resume();
			const deadline = performance.now() + boundMs + LINGER_MS + SLACK_MS;
			await once(socket, "end");
			while (connections.stats.open > 0) {
				assert.ok(performance.now() < deadline, "the connection stays");
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
			socket.destroy();
		});
	}
});
