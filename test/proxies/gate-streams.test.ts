// What passes nginx, Caddy, and HAProxy beyond plain requests: WebSockets, event streams, uploads, downloads, gRPC-Web, HTTP/2.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { after, describe, it } from "node:test";
import { APPLICATIONS, addApiClient } from "../harness/access/applications.ts";
import { BEHIND_PROXY, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { GATE_PROXIES, type GateProxy } from "../harness/proxies/gate-proxies.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { connect, type HeaderList, requestBytes } from "../harness/service/raw-connection.ts";
import { signedHeaders } from "../harness/service/service.ts";

const MEGABYTE = 1_048_576;
const UPLOAD_BYTES = 200 * MEGABYTE;
const DOWNLOAD_BYTES = 20 * MEGABYTE;
const CHUNK = Buffer.alloc(MEGABYTE, "latchkey");
/** RFC 6455, section 1.3. */
const WEBSOCKET_ID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const UPGRADE: HeaderList = [
	["Connection", "Upgrade"],
	["Upgrade", "websocket"],
	["Sec-WebSocket-Version", "13"],
	["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
];
const RULES = [
	{ path: "/signed/*", needs: "signed-in" },
	{ path: "/*", needs: "public" },
];

describe("deploy/gate passes on", () => {
	const service = testService({ env: BEHIND_PROXY });
	const gate = fixture(async () => (await addGate(service, { rules: RULES })) as KeyedGate);
	const partner = fixture(async () => {
		const client = await addApiClient(service, { app_id: gate.application_id, name: "Partner" });
		const grants = `${APPLICATIONS}/${gate.application_id}/grants/api-clients`;
		await service.asAdmin("PUT", `${grants}/${client.id}`, { roles: [] });
		return client;
	});

	for (const { name, skip, start } of GATE_PROXIES)
		describe(`by ${name}`, { skip }, () => {
			const app = fixture(startStreamingApp);
			const proxy = fixture(() => start({ gate, gatePort: service.httpPort, appPort: app.port }));
			after(async () => {
				await proxy.remove?.();
				await app.close?.();
			});

			it("the bytes of a WebSocket in both directions", async () => {
				const wire = connect(proxy, { secure: true });
				try {
					wire.write(requestBytes("GET", "/live", [["Host", "localhost"], ...UPGRADE]));
					assert.equal((await wire.next()).status, 101);
					wire.write("one");
					assert.equal(await app.received("one"), "one");
					wire.write("bye");
					assert.equal(await wire.closed(), "echo one echo bye ");
				} finally {
					wire.close();
				}
			});

			it("events, and messages of gRPC-Web, as soon as they are sent", async () => {
				for (const [type, first, second] of [
					["text/event-stream", "data: 1\n\n", "data: 2\n\n"],
					["application/grpc-web", "\0\0\0\0\u0001a", "\0\0\0\0\u0001b"],
				] as const) {
					const { response, end } = await open(proxy, `/stream?type=${type}`, "POST");
					assert.equal(response.headers["content-type"], type);
					for (const message of [first, second]) {
						const arrived = once(response, "data");
						app.send(message);
						assert.equal(String((await arrived)[0]), message);
					}
					end();
				}
			});

			it("the beginning of an upload before its end", async () => {
				const { request, end } = send(proxy, "POST", "/slow", {});
				request.write("first");
				assert.equal(await app.received("first"), "first");
				request.end("last");
				const [response] = (await once(request, "response")) as [http.IncomingMessage];
				assert.equal(await sizeOf(response), "firstlast".length);
				end();
			});

			it("200 MB by a digest that the caller computes first, and 20 MB back", async () => {
				const digest = createHash("sha256");
				for (const chunk of chunks(UPLOAD_BYTES)) digest.update(chunk);
				const sha256 = digest.digest();
				const target = "/signed/upload";
				const headers = signedUpload(target, sha256);
				const { request, end } = send(proxy, "POST", target, {
					...headers,
					"content-length": String(UPLOAD_BYTES),
				});
				const responding = once(request, "response");
				Readable.from(chunks(UPLOAD_BYTES)).pipe(request);
				const [response] = (await responding) as [http.IncomingMessage];
				assert.equal(response.statusCode, 200);
				assert.equal(response.headers["x-declared"], sha256.toString("hex"));
				assert.equal(await sizeOf(response), DOWNLOAD_BYTES);
				assert.equal(response.headers["x-arrived"], sha256.toString("hex"));
				end();
			});

			it("requests over HTTP/2, and of GET, HEAD, OPTIONS, and DELETE no body without a digest", async () => {
				const session = http2.connect(`https://127.0.0.1:${proxy.httpsPort}`, {
					rejectUnauthorized: false,
					servername: "localhost",
				});
				try {
					assert.equal((await over(session, "POST", "/size", "12345")).text, "5");
					for (const method of ["GET", "OPTIONS", "DELETE"]) {
						// HTTP/2 needs no Content-Length for a body.
						const { status, text } = await over(session, method, "/size", "evil");
						assert.deepEqual([status, text.includes("needs a Content-Digest")], [400, true], method);
						assert.equal((await over(session, method, "/size", "")).text, "0", method);
					}
				} finally {
					session.close();
				}
			});

			it("17 KB of cookies to the application, and a refusal of headers that the gate does not accept", async () => {
				const cookie = `c=${"x".repeat(17_000)}`;
				const { response, end } = await open(proxy, "/cookies", "GET", { cookie });
				assert.deepEqual([response.statusCode, await sizeOf(response)], [200, cookie.length]);
				end();
				const long = await open(proxy, "/.latchkey/sign-in", "GET", { cookie });
				// The gate has no origin of its own, but it read the request.
				assert.equal(long.response.statusCode, 404);
				long.end();
				// HAProxy's own limit is lower.
				const large = await open(proxy, "/", "GET", {
					origin: "x".repeat(20_000),
					accept: "x".repeat(20_000),
				});
				const { statusCode, headers } = large.response;
				const expected = name === "HAProxy" ? [400, undefined] : [431, "request.too_large"];
				assert.deepEqual([statusCode, headers["latchkey-refusal"]], expected);
				large.end();
			});
		});

	function signedUpload(target: string, digest: Buffer): Record<string, string> {
		const request = { method: "POST", path: target, bodySha256: digest.toString("hex") };
		const signed = signedHeaders(partner, { ...request, nowMs: service.clock.now() });
		return { ...signed, "content-digest": `sha-256=:${digest.toString("base64")}:` };
	}
});

function* chunks(bytes: number): Generator<Buffer> {
	for (let sent = 0; sent < bytes; sent += MEGABYTE) yield CHUNK;
}

interface Sending {
	readonly request: http.ClientRequest;
	end(): void;
}

function send(
	{ httpsPort }: GateProxy,
	method: string,
	path: string,
	headers: Record<string, string>,
): Sending {
	const request = https.request({
		host: "127.0.0.1",
		port: httpsPort,
		servername: "localhost",
		rejectUnauthorized: false,
		agent: false,
		method,
		path,
		headers: { host: "localhost", ...headers },
	});
	request.on("error", () => undefined);
	return { request, end: () => request.destroy() };
}

async function open(proxy: GateProxy, path: string, method = "GET", headers = {}) {
	const { request, end } = send(proxy, method, path, headers);
	request.end();
	const [response] = (await once(request, "response")) as [http.IncomingMessage];
	response.on("error", () => undefined);
	return { response, end };
}

async function sizeOf(response: AsyncIterable<Buffer>): Promise<number> {
	let bytes = 0;
	for await (const chunk of response) bytes += chunk.length;
	return bytes;
}

async function over(session: http2.ClientHttp2Session, method: string, path: string, body: string) {
	const stream = session.request({ ":method": method, ":path": path }, { endStream: body === "" });
	if (body !== "") stream.end(body);
	const [headers] = await once(stream, "response");
	let text = "";
	for await (const chunk of stream) text += String(chunk);
	return { status: headers[":status"] as number, text };
}

/** An application that responds in the ways that a proxy can spoil. */
async function startStreamingApp() {
	let stream: http.ServerResponse | undefined;
	let arrived = "";
	let changed = Promise.withResolvers<void>();
	const receive = (chunk: Buffer) => {
		arrived += chunk;
		changed.resolve();
		changed = Promise.withResolvers();
	};
	const server = http.createServer({ maxHeaderSize: 65_536 }, async (request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? "", "http://app");
		if (pathname === "/stream") {
			stream = response;
			response.writeHead(200, { "content-type": searchParams.get("type") ?? "" }).flushHeaders();
			return;
		}
		const digest = createHash("sha256");
		let bytes = 0;
		for await (const chunk of request) {
			digest.update(chunk);
			bytes += chunk.length;
			if (pathname === "/slow") receive(chunk);
		}
		if (pathname === "/slow") return response.end("x".repeat(bytes));
		if (pathname === "/cookies") return response.end(request.headers.cookie);
		if (pathname !== "/signed/upload") return response.end(String(bytes));
		const declared = request.headers["latchkey-body-sha256"];
		response.writeHead(200, { "x-declared": declared, "x-arrived": digest.digest("hex") });
		return Readable.from(chunks(DOWNLOAD_BYTES)).pipe(response);
	});
	server.on("upgrade", (request, socket: Socket) => {
		const accepted = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${WEBSOCKET_ID}`);
		const head = [
			"HTTP/1.1 101 Switching Protocols",
			"Upgrade: websocket",
			"Connection: Upgrade",
			`Sec-WebSocket-Accept: ${accepted.digest("base64")}`,
		];
		socket.write(`${head.join("\r\n")}\r\n\r\n`);
		socket.on("data", (chunk: Buffer) => {
			receive(chunk);
			socket.write(`echo ${chunk} `);
			if (String(chunk) === "bye") socket.end();
		});
		socket.on("error", () => undefined);
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	return {
		port: (server.address() as AddressInfo).port,
		/** Sends to the open stream. */
		send: (text: string) => void stream?.write(text),
		/** Resolves when the end of what has arrived is the text. */
		async received(text: string): Promise<string> {
			while (!arrived.endsWith(text)) await changed.promise;
			return text;
		},
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}
