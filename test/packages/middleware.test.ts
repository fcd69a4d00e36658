// The middleware for Node.js in the frameworks themselves: what handlers receive, and what never reaches them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import express, { type ErrorHandler, type Handler } from "express";
import fastify from "fastify";
import {
	type Caller,
	createGate,
	expressGate,
	fastifyGate,
	type Gate,
	type GatedRequest,
	requirePermission,
	withGate,
} from "../../packages/client/src/gate.ts";

const MIB = 2 ** 20;
const CALLER: Caller = {
	kind: "partner",
	id: "p1",
	name: "Buyer",
	through: null,
	chain: [],
	permissions: ["orders:read"],
	isTest: false,
};

const closing: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});

/** Lets every request pass, and keeps what it was asked. */
function openGate(): Gate & { readonly asked: GatedRequest[] } {
	const asked: GatedRequest[] = [];
	const gate: Gate = async (request) => {
		asked.push(request);
		return { caller: CALLER };
	};
	return Object.assign(gate, { asked });
}

async function portOf(server: Server): Promise<number> {
	if (!server.listening) await once(server, "listening");
	closing.push(() => server.close());
	const address = server.address();
	assert.ok(address !== null && typeof address === "object");
	return address.port;
}

async function expressApp(gate: Gate): Promise<string> {
	const app = express();
	app.set("trust proxy", "loopback");
	app.use(expressGate(gate));
	app.post("/stream", async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk);
		response.send(Buffer.concat(chunks));
	});
	app.use(express.json(), express.urlencoded(), express.text({ type: "*/*", limit: MIB }));
	app.all("/{*rest}", (request, response) => {
		const { caller } = request as typeof request & { caller: Caller };
		response.json({ caller, body: request.body });
	});
	return `http://127.0.0.1:${await portOf(app.listen(0, "127.0.0.1"))}`;
}

async function fastifyApp(gate: Gate): Promise<string> {
	const app = fastify({ trustProxy: "127.0.0.1" });
	const respond = (request: { body?: unknown; caller?: Caller }) => ({
		caller: request.caller,
		body: request.body,
	});
	// Added before the plugin: it covers earlier routes, too.
	app.all("/*", respond as never);
	await app.register(fastifyGate, { gate });
	app.addContentTypeParser("*", { parseAs: "string" }, (_, body, done) => done(null, body));
	closing.push(() => app.close());
	return await app.listen({ port: 0, host: "127.0.0.1" });
}

async function webApp(gate: Gate): Promise<string> {
	const handler = withGate(
		gate,
		(request) => ({
			ip: request.headers.get("x-forwarded-for") ?? "127.0.0.1",
			scheme: request.headers.get("x-forwarded-proto") === "https" ? "https" : "http",
		}),
		async (request, caller) => Response.json({ caller, body: parsed(await request.text()) }),
	);
	const server = createServer(async (incoming, response) => {
		const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
		const request = new Request(`http://orders.example${incoming.url}`, {
			method: incoming.method ?? "",
			headers: incoming.headers as Record<string, string>,
			...(hasBody && { body: ReadableStream.from(incoming), duplex: "half" }),
		} as RequestInit);
		const { status, headers, body } = await handler(request);
		response.writeHead(status, [...headers].flat());
		for await (const chunk of body ?? []) response.write(chunk);
		response.end();
	});
	return `http://127.0.0.1:${await portOf(server.listen(0, "127.0.0.1"))}`;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

for (const [framework, start] of [
	["Express", expressApp],
	["Fastify", fastifyApp],
	["Request and Response", webApp],
] as const)
	describe(framework, { timeout: 60_000 }, () => {
		const post = async (url: string, body: string | ReadableStream, type = "application/json") =>
			await fetch(`${url}/orders?x=%2F`, {
				method: "POST",
				body,
				headers: { "content-type": type, "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https" },
				...(body instanceof ReadableStream && { duplex: "half" }),
			} as RequestInit);

		test("passes on the caller and the body that the decision covers", async () => {
			const gate = openGate();
			const url = await start(gate);
			const response = await post(url, '{"a":[1,2]}');
			assert.deepEqual(await response.json(), { caller: CALLER, body: { a: [1, 2] } });
			const [asked] = gate.asked;
			assert.deepEqual(
				[asked?.method, asked?.target, asked?.scheme, asked?.ip],
				["POST", "/orders?x=%2F", "https", "203.0.113.7"],
			);
			assert.equal(Buffer.from(asked?.body ?? []).toString(), '{"a":[1,2]}');
		});

		test("reads a chunked body, an empty one, and none", async () => {
			const gate = openGate();
			const url = await start(gate);
			const chunks = Array.from({ length: 20 }, (_, index) =>
				new TextEncoder().encode(`${index},`.repeat(500)),
			);
			const text = Buffer.concat(chunks).toString();
			const chunked = await post(url, ReadableStream.from(chunks), "text/plain");
			assert.equal(await bodyOf(chunked), text);
			for (const empty of ["", ReadableStream.from([])])
				assert.equal((await post(url, empty, "text/plain")).status, 200);
			assert.equal((await fetch(`${url}/orders`)).status, 200);
			assert.deepEqual(
				gate.asked.map(({ body }) => body.length),
				[text.length, 0, 0, 0],
			);
		});

		test("accepts 1 MiB and refuses more with 413, without a decision", async () => {
			const gate = openGate();
			const url = await start(gate);
			assert.equal((await bodyOf(await post(url, "a".repeat(MIB), "text/plain"))).length, MIB);
			for (const body of ["a".repeat(MIB + 1), ReadableStream.from(endless())]) {
				// The server closes the connection, so the client may not read the response.
				const status = await post(url, body, "text/plain").then(
					(response) => response.status,
					() => 413,
				);
				assert.equal(status, 413);
			}
			assert.equal(gate.asked.length, 1);
		});

		test("returns a refusal as the gate sent it, and runs no handler", async () => {
			const refusal = {
				status: 403,
				headers: { "latchkey-refusal": "gate.no_rule", "x-a": "b" },
				body: "{}",
			};
			const response = await post(await start(async () => refusal), "{}");
			assert.deepEqual(
				[response.status, response.headers.get("x-a"), await response.text()],
				[403, "b", "{}"],
			);
		});

		test("responds with 503 while the gate is unavailable, slow, or broken", async () => {
			const silent = createServer(() => undefined).listen(0, "127.0.0.1");
			closing.push(() => silent.closeAllConnections());
			const port = await portOf(silent);
			const gone = createServer().listen(0, "127.0.0.1");
			await once(gone, "listening");
			const address = gone.address();
			assert.ok(address !== null && typeof address === "object");
			gone.close();
			for (const [unavailable, timeoutMs] of [
				[`http://127.0.0.1:${address.port}`, 5_000],
				[`http://127.0.0.1:${port}`, 100],
			] as const) {
				const reasons: unknown[] = [];
				const gate = createGate({
					url: unavailable,
					applicationId: "a1",
					gateKey: "gk_1",
					timeoutMs,
					report: (reason) => reasons.push(reason),
				});
				const response = await post(await start(gate), "{}");
				assert.deepEqual(
					[
						response.status,
						response.headers.get("retry-after"),
						((await response.json()) as { code: string }).code,
					],
					[503, "5", "service.unavailable"],
				);
				assert.equal(reasons.length, 1);
			}
		});
	});

async function bodyOf(response: Response): Promise<string> {
	return ((await response.json()) as { body: string }).body;
}

async function* endless() {
	for (;;) {
		yield new Uint8Array(65_536);
		// Without another turn of the event loop, the sender may never read the refusal.
		await nextTurn();
	}
}

describe("Express", () => {
	test("leaves the stream to handlers that read it", async () => {
		const url = await expressApp(openGate());
		const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
		const response = await fetch(`${url}/stream`, { method: "POST", body });
		assert.deepEqual(Buffer.from(await response.arrayBuffer()), body);
		assert.equal(await (await fetch(`${url}/stream`, { method: "POST" })).text(), "");
	});

	test("can decide twice about a request, and says so if its body was read before", async () => {
		const app = express();
		const gate = openGate();
		app.use(expressGate(gate), expressGate(gate));
		app.post("/", express.text({ type: "*/*" }), (request, response) => void response.send(request.body));
		const late = express();
		late.use(express.text({ type: "*/*" }), expressGate(gate));
		late.use(((error, _request, response, _next) => {
			response.status(500).send(error.message);
		}) satisfies ErrorHandler);
		const url = `http://127.0.0.1:${await portOf(app.listen(0, "127.0.0.1"))}`;
		assert.equal(await (await fetch(url, { method: "POST", body: "abc" })).text(), "abc");
		assert.deepEqual(
			gate.asked.map(({ body }) => body.length),
			[3, 3],
		);
		const lateUrl = `http://127.0.0.1:${await portOf(late.listen(0, "127.0.0.1"))}`;
		const response = await fetch(lateUrl, { method: "POST", body: "abc" });
		assert.deepEqual(
			[response.status, await response.text()],
			[500, "use the gate before the parsers of bodies"],
		);
	});

	test("does not ask the gate about a request whose client disconnects within the body", async () => {
		const gate = openGate();
		const app = express();
		const failed = Promise.withResolvers<Error>();
		app.use(
			((_request, _response, next) => {
				setImmediate(() => socket.destroy());
				next();
			}) satisfies Handler,
			expressGate(gate),
		);
		app.use(((error, _request, _response, _next) => failed.resolve(error)) satisfies ErrorHandler);
		const socket = connect(await portOf(app.listen(0, "127.0.0.1")), "127.0.0.1");
		socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc");
		assert.equal((await failed.promise).message, "the client disconnected");
		assert.equal(gate.asked.length, 0);
	});
});

describe("requirePermission", () => {
	const ask = async (gate: Gate) => await gate({} as GatedRequest);

	test("lets only callers with the permission pass", async () => {
		const gate = openGate();
		assert.deepEqual(await ask(requirePermission(gate, "orders:read")), { caller: CALLER });
		const refused = await ask(requirePermission(gate, "orders:write"));
		assert.ok(!("caller" in refused));
		assert.equal(refused.status, 403);
		assert.deepEqual(
			[refused.headers["latchkey-refusal"], refused.headers["www-authenticate"]],
			["scope.missing", 'Bearer error="insufficient_scope", scope="orders:write"'],
		);
	});

	test("returns a refusal of the gate unchanged", async () => {
		const refusal = { status: 401, headers: {}, body: "" };
		assert.equal(await ask(requirePermission(async () => refusal, "orders:read")), refusal);
	});
});

test("createGate names the option that is missing", () => {
	const options = { url: "https://auth.example.com", applicationId: "a1", gateKey: "gk_1" };
	for (const name of ["url", "applicationId", "gateKey"])
		assert.throws(() => createGate({ ...options, [name]: "" }), { message: `${name} is missing` });
});
