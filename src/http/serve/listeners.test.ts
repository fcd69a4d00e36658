import assert from "node:assert/strict";
import { once } from "node:events";
import net, { type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import tls from "node:tls";
import { makeCertificate } from "../../../test/harness/certificates/certificate.ts";
import { Connections } from "./connections.ts";
import { createListeners, type Listeners } from "./listeners.ts";

const HEADERS_MS = 300;
/** Never reached: a connection that only this bound ended would fail the test by its time limit. */
const FAR_MS = 600_000;
const DEADLINE_MS = 30_000;

interface Opened {
	readonly listeners: Listeners;
	readonly connections: Connections;
	readonly http: number;
	readonly https: number;
}
/** With a bound on headers alone, and with one on the whole request. */
let opened: { readonly headers: Opened; readonly request: Opened };

before(async () => {
	opened = { headers: await open(FAR_MS), request: await open(2 * HEADERS_MS) };
});
after(async () => {
	for (const { listeners } of Object.values(opened)) await listeners.close(0, 0);
});

async function open(requestMs: number): Promise<Opened> {
	const connections = new Connections({ total: 0, perAddress: 0, trustedProxies: [] }, () => undefined);
	const listeners = createListeners((request, response) => request.on("end", () => response.end()).resume(), {
		tls: await makeCertificate("listeners"),
		connections,
		onMalformed: () => ({ body: "{}", requestId: "r" }),
		times: { headersMs: HEADERS_MS, requestMs, checkMs: 100 },
	});
	const { http, https } = await listeners.listen("127.0.0.1", { http: 0, https: 0 });
	assert.ok(http !== null && https !== null);
	return { listeners, connections, http, https };
}

/** What the service sends over a connection on which only these bytes arrive, until it closes it. */
async function answerTo(bytes: string, port: number, secure: boolean): Promise<string> {
	const raw = net.connect({ host: "127.0.0.1", port, allowHalfOpen: true });
	const socket: Socket = secure ? tls.connect({ socket: raw, rejectUnauthorized: false }) : raw;
	for (const end of [raw, socket]) end.on("error", () => undefined);
	await once(socket, secure ? "secureConnect" : "connect");
	let text = "";
	socket.on("data", (chunk) => {
		text += chunk;
	});
	socket.write(bytes);
	await new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
	raw.destroy();
	return text;
}

const BODY = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx";

describe("a connection is ended within its bound", () => {
	for (const secure of [false, true]) {
		const over = secure ? "over TLS" : "in clear";
		for (const [what, bytes, bound] of [
			["that sends nothing", "", "headers"],
			["that never ends its headers", "GET / HTTP/1.1\r\nHost: a\r\n", "headers"],
			["that never ends its body", BODY, "request"],
		] as const) {
			it(`${what}, ${over}`, async () => {
				const { http, https } = opened[bound];
				assert.match(await answerTo(bytes, secure ? https : http, secure), /^HTTP\/1\.1 408 /);
			});
		}
	}

	it("that never finishes its TLS handshake", async () => {
		const socket = net.connect({ host: "127.0.0.1", port: opened.headers.https });
		socket.on("error", () => undefined);
		await once(socket, "connect");
		socket.write("\x16\x03\x01");
		await new Promise((resolve) => socket.resume().once("close", resolve));
	});
});

describe("a peer that does not close its side", () => {
	for (const [what, bytes] of [
		["after 408", ""],
		["after 400", "nonsense\r\n\r\n"],
		["after CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"],
	] as const) {
		it(`${what} keeps no connection`, async () => {
			const socket = net.connect({ host: "127.0.0.1", port: opened.headers.http, allowHalfOpen: true });
			socket.on("error", () => undefined);
			await once(socket, "connect");
			socket.write(bytes);
			socket.resume();
			const deadline = performance.now() + DEADLINE_MS;
			await once(socket, "end");
			while (opened.headers.connections.stats.open > 0) {
				assert.ok(performance.now() < deadline, "the connection stays");
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
			socket.destroy();
		});
	}
});
