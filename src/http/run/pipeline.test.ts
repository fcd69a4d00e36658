// Hostile connections and faulty resources: each gets a complete response or a closed connection, and the next is served.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo, type Socket } from "node:net";
import { Readable } from "node:stream";
import { after, before, beforeEach, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { AppError } from "../../kernel/error.ts";
import type { Log } from "../../kernel/log.ts";
import { endpoint, exportablePage, LIST_FORMAT } from "../describe/endpoint.ts";
import { publicDataGuard, route } from "../describe/guard.ts";
import { object, plain, time } from "../describe/schema.ts";
import { BODY_LIMIT_BYTES } from "./body.ts";
import type { BrowserSession } from "./browser-session.ts";
import { handlerFor } from "./handler.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { createPipeline } from "./pipeline.ts";
import { createRateLimits } from "./rate-limit.ts";
import type { Resource } from "./resource.ts";
import { Router } from "./router.ts";

const HOST = "Host: a\r\n";
const DEADLINE_MS = 20_000;

const logged: { readonly level: string; readonly message: string; readonly error: unknown }[] = [];
const counted = { abandoned: 0, observed: 0 };
const state = { draining: false };
/** The parts of `/endless` produced so far, and whether its source has ended. */
const source = { parts: 0, isEnded: false };
/** Produces the first part of `/waiting`. */
let begin: () => void = () => undefined;
/** Decides `/guarded`. */
let admitGuarded: () => void = () => undefined;
let responded = 0;
/** The place after which each part of `/export` was read. */
const exported: (string | undefined)[] = [];
let server: http.Server;

before(async () => {
	const line = (level: string) => (fields: object, message: string) =>
		void logged.push({ level, message, error: (fields as { err?: unknown }).err });
	const log: Log = {
		isDebug: false,
		debug: line("debug"),
		info: line("info"),
		warn: line("warn"),
		error: line("error"),
	};
	let ids = 0;
	const options = {
		publicUrl: "https://id.example",
		ownOrigin: undefined,
		routes: [],
		mounts: [],
		pages: [],
		rateLimits: createRateLimits({ perMinute: 0, clientPerMinute: 0, gatePerMinute: 0 }, () => 0),
		trustedProxies: [],
		plainHttpNetworks: [],
		log,
		meter: {
			observe: () => void counted.observed++,
			fail: () => undefined,
			refuse: () => undefined,
			abandon: () => void counted.abandoned++,
		},
		tracing: undefined,
		newRequestId: () => `r${++ids}`,
	};
	server = http.createServer({ requireHostHeader: false }, createPipeline(routerOfFaults(), options, state));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
});
after(() => {
	server.closeAllConnections();
	server.close();
});
beforeEach(() => {
	logged.length = 0;
	counted.abandoned = 0;
	responded = 0;
});

function routerOfFaults(): Router {
	const router = new Router();
	const add = (method: string, path: string, resource: Partial<Resource>): void =>
		router.add(method, path, {
			template: path,
			transport: "any",
			respond: (exchange) => exchange.send(200, {}, "ok"),
			...resource,
		});
	const slow = async (exchange: HttpExchange): Promise<void> => {
		await new Promise((resolve) => setTimeout(resolve, 50));
		responded++;
		exchange.send(200, {}, "slow");
	};
	add("GET", "/ok", {});
	add("GET", "/slow", { respond: slow });
	add("POST", "/slow", { respond: slow });
	add("POST", "/echo", {
		respond: (exchange) => exchange.send(200, {}, String(exchange.incoming.rawBody.length)),
	});
	add("POST", "/guarded", {
		guard: {
			...publicDataGuard,
			admit: () => new Promise<undefined>((resolve) => (admitGuarded = () => resolve(undefined))),
		},
		respond: (exchange) => {
			responded++;
			exchange.send(200, {}, "admitted");
		},
	});
	add("GET", "/throws", {
		respond: () => {
			throw new Error("thrown");
		},
	});
	add("GET", "/bad-header", {
		respond: (exchange) => exchange.send(200, { "set-cookie": "secret=1", location: "a\r\nb" }, "ok"),
	});
	add("GET", "/bad-empty", { respond: (exchange) => exchange.send(204, { location: "a\nb" }) });
	add("GET", "/twice", {
		respond: (exchange) => {
			exchange.send(200, {}, "once");
			throw new Error("after the response");
		},
	});
	add("GET", "/error-handler", {
		respond: (exchange) => {
			const cookieOfRefusal = (): never => {
				throw new Error("in the error handler");
			};
			exchange.incoming.browserSession = { cookieOfRefusal } as unknown as BrowserSession;
			throw new Error("thrown");
		},
	});
	const stream = (parts: () => AsyncGenerator<string>) => ({
		respond: (exchange: HttpExchange) =>
			exchange.stream(200, { "content-disposition": "attachment" }, Readable.from(parts())),
	});
	add("GET", "/fails-first", stream(failsAt(0)));
	add("GET", "/fails-later", stream(failsAt(3)));
	add("GET", "/no-parts", stream(noParts));
	add("GET", "/endless", stream(endless));
	add("GET", "/waiting", stream(waiting));
	const unused = () => Promise.resolve();
	add("GET", "/export", {
		respond: handlerFor(exportOfList(), { recordExport: unused, changeIfMatch: unused }),
	});
	return router;
}

/** Endless; its caller loses access after the second part. */
function exportOfList() {
	const admit = () => {
		if (exported.length === 2) throw new AppError("token.invalid", "the session has ended");
		return undefined;
	};
	const list = endpoint<undefined>()({
		name: "export",
		summary: "Export",
		query: LIST_FORMAT,
		response: exportablePage("rows", object({ id: plain(), created_at: time() }), "Rows."),
		handle({ page: { pageSize, after } }) {
			exported.push(after?.id);
			const row = { id: `row-${exported.length}`, created_at: "2026-11-24T08:00:00.000Z" };
			return { items: Array.from({ length: pageSize }, () => row), total: pageSize };
		},
	});
	return route("GET", "/export", { ...publicDataGuard, admit }, "service", list, "Rows");
}

function failsAt(index: number) {
	return async function* () {
		for (let part = 0; part < index; part++) yield `part ${part}\n`;
		throw new Error("broken source");
	};
}

/** Its first part waits until `begin` is called. */
async function* waiting(): AsyncGenerator<string> {
	await new Promise<void>((resolve) => (begin = resolve));
	try {
		yield "first";
	} finally {
		source.isEnded = true;
	}
}

async function* noParts(): AsyncGenerator<string> {
	yield* [];
}

async function* endless(): AsyncGenerator<string> {
	source.parts = 0;
	source.isEnded = false;
	try {
		while (true) {
			source.parts++;
			yield "x".repeat(16_384);
			await turn();
		}
	} finally {
		source.isEnded = true;
	}
}

interface Wire {
	readonly socket: Socket;
	text: string;
}

async function connect(): Promise<Wire> {
	const { port } = server.address() as AddressInfo;
	const socket = net.connect({ host: "127.0.0.1", port, allowHalfOpen: true });
	const wire = { socket, text: "" };
	socket.on("error", () => undefined).on("data", (chunk) => (wire.text += chunk.toString("latin1")));
	await once(socket, "connect");
	return wire;
}

/** Sends bytes on a new connection, and returns everything that arrives until the service closes it. */
async function everythingAfter(bytes: string): Promise<string> {
	const wire = await connect();
	wire.socket.write(bytes);
	await closed(wire);
	return wire.text;
}

async function closed({ socket }: Wire): Promise<void> {
	socket.once("end", () => socket.end());
	if (!socket.destroyed) await once(socket, "close", { signal: AbortSignal.timeout(DEADLINE_MS) });
}

async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + DEADLINE_MS;
	while (!condition()) {
		assert.ok(performance.now() < deadline, "the condition is not met");
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

const request = (method: string, path: string, headers = "", body = ""): string =>
	`${method} ${path} HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const LAST = request("GET", "/ok", "Connection: close\r\n");
const statusesOf = (text: string): string[] =>
	[...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => code ?? "");
/** Errors in the log, without the line that every request has. */
const errors = (): string[] =>
	logged.flatMap(({ level, message }) => (level === "error" && message !== "request" ? [message] : []));

describe("a body", () => {
	it("that arrives byte by byte in chunks is read whole", async () => {
		const wire = await connect();
		for (const byte of `${request("POST", "/echo", "Transfer-Encoding: chunked\r\n")}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n${LAST}`) {
			wire.socket.write(byte);
			await turn();
		}
		await closed(wire);
		assert.deepEqual(statusesOf(wire.text), ["200", "200"]);
		assert.match(wire.text, /\r\n\r\n5HTTP/);
	});

	for (const [over, status] of [
		[0, "200"],
		[1, "413"],
	] as const)
		for (const isChunked of [false, true])
			it(`of the limit plus ${over}, ${isChunked ? "in chunks" : "with a length"}, returns ${status}`, async () => {
				const length = BODY_LIMIT_BYTES + over;
				const body = "x".repeat(length);
				const bytes = isChunked
					? request(
							"POST",
							"/echo",
							"Transfer-Encoding: chunked\r\n",
							`${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
						)
					: request("POST", "/echo", `Content-Length: ${length}\r\n`, body);
				const text = await everythingAfter(`${bytes}${LAST}`);
				assert.deepEqual(statusesOf(text), status === "413" ? ["413"] : ["200", "200"]);
			});

	it("that announces too much is refused before it arrives, and the connection closes", async () => {
		const text = await everythingAfter(
			request("POST", "/echo", `Content-Length: ${BODY_LIMIT_BYTES + 1}\r\n`),
		);
		assert.deepEqual(statusesOf(text), ["413"]);
		assert.match(text, /connection: close/i);
	});

	it("that is too large is refused once it has arrived, so that no reset loses the response", async () => {
		const wire = await connect();
		const length = 4 * BODY_LIMIT_BYTES;
		wire.socket.write(request("POST", "/echo", `Content-Length: ${length}\r\n`, "x".repeat(length - 1)));
		await turn();
		assert.equal(wire.text, "");
		wire.socket.write("x");
		await closed(wire);
		assert.deepEqual(statusesOf(wire.text), ["413"]);
	});

	it("whose client disconnects halfway is counted as abandoned, without an error", async () => {
		const wire = await connect();
		wire.socket.write(request("POST", "/echo", "Content-Length: 9\r\n", "half"));
		await turn();
		wire.socket.destroy();
		await until(() => counted.abandoned === 1);
		assert.deepEqual(errors(), []);
	});

	it("whose client disconnects while the guard decides never reaches the resource", async () => {
		const wire = await connect();
		admitGuarded = () => undefined;
		const waiting = admitGuarded;
		wire.socket.write(request("POST", "/guarded", "Content-Length: 2\r\n", "{"));
		await until(() => admitGuarded !== waiting);
		wire.socket.resetAndDestroy();
		await until(() => counted.abandoned === 1);
		admitGuarded();
		for (let turns = 0; turns < 20; turns++) await turn();
		assert.equal(responded, 0);
		assert.deepEqual(errors(), []);
	});

	it("of a GET is discarded, and the connection continues", async () => {
		const text = await everythingAfter(`${request("GET", "/ok", "Content-Length: 5\r\n", "hello")}${LAST}`);
		assert.deepEqual(statusesOf(text), ["200", "200"]);
	});
});

describe("Expect", () => {
	it("100-continue is granted before the body, and an unknown path is refused", async () => {
		const headers = "Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n";
		assert.deepEqual(statusesOf(await everythingAfter(request("POST", "/echo", headers, "{}"))), [
			"100",
			"200",
		]);
		const refused = statusesOf(await everythingAfter(request("POST", "/nowhere", headers, "{}")));
		assert.equal(refused.at(-1), "404");
	});
});

describe("HEAD", () => {
	it("returns the headers of GET without its body, so that the next response is readable", async () => {
		const text = await everythingAfter(`${request("HEAD", "/ok")}${LAST}`);
		assert.match(
			text,
			/^HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)*content-length: 2\r\n(?:[^\r]+\r\n)*\r\nHTTP\/1\.1 200 /i,
		);
	});

	it("of an error and of an unknown path has no body", async () => {
		const text = await everythingAfter(`${request("HEAD", "/throws")}${request("HEAD", "/nowhere")}${LAST}`);
		assert.deepEqual(statusesOf(text), ["500", "404", "200"]);
		assert.doesNotMatch(text, /"error"/);
	});

	it("of a stream does not start its source", async () => {
		source.parts = 0;
		const text = await everythingAfter(`${request("HEAD", "/endless")}${LAST}`);
		assert.deepEqual(statusesOf(text), ["200", "200"]);
		assert.equal(source.parts, 0);
	});
});

describe("pipelined requests", () => {
	it("get their responses in order, whichever finishes first", async () => {
		const text = await everythingAfter(
			`${request("GET", "/slow")}${request("GET", "/ok")}${request("GET", "/throws")}${LAST}`,
		);
		assert.deepEqual(statusesOf(text), ["200", "200", "500", "200"]);
		assert.ok(text.indexOf("slow") < text.indexOf("ok"));
	});

	it("after a refused body get no response: its bytes are never read as a request", async () => {
		const inner = request("GET", "/ok");
		const bytes = request("POST", "/echo", `Content-Length: ${BODY_LIMIT_BYTES + 1}\r\n`, inner.repeat(4));
		assert.deepEqual(statusesOf(await everythingAfter(bytes)), ["413"]);
	});

	it("of a client that resets the connection leave the service up", async () => {
		for (let round = 0; round < 20; round++) {
			const wire = await connect();
			wire.socket.write(request("GET", "/slow").repeat(20));
			if (round % 2 === 0) await turn();
			wire.socket.resetAndDestroy();
		}
		assert.deepEqual(statusesOf(await everythingAfter(LAST)), ["200"]);
		assert.deepEqual(errors(), []);
	});
});

describe("a draining service", () => {
	it("asks to close the connection with every response, errors included", async () => {
		state.draining = true;
		try {
			for (const path of ["/ok", "/throws", "/nowhere"])
				assert.match(await everythingAfter(request("GET", path)), /connection: close/i);
		} finally {
			state.draining = false;
		}
	});
});

describe("a client that closes its side after the request", () => {
	for (const [what, bytes] of [
		["a GET", request("GET", "/slow")],
		["a body", request("POST", "/slow", "Content-Length: 2\r\n", "{}")],
	] as const)
		it(`is served or disconnected, but not kept: ${what}`, async () => {
			const wire = await connect();
			wire.socket.end(bytes);
			await closed(wire);
			await until(() => responded === 1);
			assert.match(wire.text, /^(?:$|HTTP\/1\.1 200 )/);
			assert.deepEqual(errors(), []);
		});

	it("within its body gets no success", async () => {
		const wire = await connect();
		wire.socket.end(request("POST", "/slow", "Content-Length: 9\r\n", "half"));
		await closed(wire);
		assert.doesNotMatch(wire.text, /^HTTP\/1\.1 2/);
		assert.equal(responded, 0);
	});
});

describe("a stream", () => {
	it("that fails before its first part returns an error response", async () => {
		const text = await everythingAfter(`${request("GET", "/fails-first")}${LAST}`);
		assert.deepEqual(statusesOf(text), ["500", "200"]);
		assert.doesNotMatch(text, /content-disposition/i);
		assert.deepEqual(errors(), ["request failed"]);
	});

	it("that fails later closes the connection without an end, and is logged", async () => {
		const text = await everythingAfter(`${request("GET", "/fails-later")}${LAST}`);
		assert.deepEqual(statusesOf(text), ["200"]);
		assert.match(text, /part 2/);
		assert.doesNotMatch(text, /\r\n0\r\n\r\n/);
		assert.deepEqual(errors(), ["request failed", "response failed"]);
	});

	it("of an exported list ends when its caller loses access", async () => {
		const text = await everythingAfter(`${request("GET", "/export?format=csv")}${LAST}`);
		assert.deepEqual(exported, ["", "row-1"]);
		assert.match(text, /row-2/);
		assert.deepEqual(statusesOf(text), ["200"]);
		assert.doesNotMatch(text, /\r\n0\r\n\r\n/);
	});

	it("without parts is a complete, empty response", async () => {
		const text = await everythingAfter(`${request("GET", "/no-parts")}${LAST}`);
		assert.deepEqual(statusesOf(text), ["200", "200"]);
	});

	it("waits for a slow reader, and ends its source when the reader disconnects", async () => {
		const wire = await connect();
		wire.socket.pause();
		wire.socket.write(request("GET", "/endless"));
		await until(() => source.parts > 2);
		let before = -1;
		await until(() => {
			const isStill = source.parts === before;
			before = source.parts;
			return isStill;
		});
		assert.ok(source.parts < 4_000, `${source.parts} parts for a reader that reads nothing`);
		wire.socket.resetAndDestroy();
		await until(() => source.isEnded);
		await until(() => counted.abandoned === 1);
		assert.deepEqual(errors(), []);
	});

	it("whose reader disconnects before its first part is abandoned, without an error", async () => {
		const wire = await connect();
		const earlier = begin;
		source.isEnded = false;
		counted.observed = 0;
		wire.socket.write(request("GET", "/waiting"));
		await until(() => begin !== earlier);
		wire.socket.resetAndDestroy();
		await until(() => counted.abandoned === 1);
		begin();
		await until(() => source.isEnded);
		for (let turns = 0; turns < 20; turns++) await turn();
		assert.deepEqual([errors(), counted.observed], [[], 0]);
	});
});

describe("a fault", () => {
	it("of a resource returns 500, and the connection continues", async () => {
		const text = await everythingAfter(`${request("GET", "/throws")}${LAST}`);
		assert.deepEqual(statusesOf(text), ["500", "200"]);
		assert.match(text, /\{"error":"Internal server error"\}/);
		assert.deepEqual(errors(), ["request failed"]);
	});

	it("in a header returns 500 with its own reason, and without the headers of the failed response", async () => {
		const text = await everythingAfter(`${request("GET", "/bad-header")}${LAST}`);
		assert.match(text, /^HTTP\/1\.1 500 Internal Server Error\r\n/);
		assert.doesNotMatch(text, /secret=1|location/);
		assert.deepEqual(statusesOf(text), ["500", "200"]);
	});

	for (const path of ["/bad-empty", "/twice", "/error-handler"])
		it(`that leaves no way to respond closes the connection and is logged: ${path}`, async () => {
			await everythingAfter(request("GET", path));
			assert.deepEqual(errors().at(-1), "response failed");
			assert.deepEqual(statusesOf(await everythingAfter(LAST)), ["200"]);
		});
});
