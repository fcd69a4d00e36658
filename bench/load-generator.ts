// The load generator, a separate process: keeps connections busy with prepared requests, and times each request.

import net from "node:net";
import tls from "node:tls";
import { EXPECTED_STATUSES, makeRequests, type Plan } from "./requests.ts";
import { processorSeconds } from "./usage.ts";

export interface Load {
	readonly plan: Plan;
	readonly port: number;
	/** The process whose CPU time is measured. */
	readonly pid: number;
	/** Over TLS: on persistent connections, or on a new one per request. */
	readonly tls?: "kept" | "new" | undefined;
	readonly connections: number;
	/** Maximum number of requests. */
	readonly count: number;
	/** Maximum duration of sending. */
	readonly seconds: number;
}

export interface LoadResult {
	readonly requests: number;
	/** From the first request to the last response. */
	readonly seconds: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	/** CPU time of the measured process in this period; undefined if it cannot be read. */
	readonly serverSeconds: number | undefined;
	readonly generatorSeconds: number;
}

const READ_BUFFER_BYTES = 65_536;
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

process.on("message", (load: Load) => {
	run(load).then(
		(result) => process.send?.(result),
		(error: Error) => process.send?.({ error: error.message }),
	);
});
process.on("disconnect", () => process.exit(0));

async function run(load: Load): Promise<LoadResult> {
	const requests = makeRequests(load.plan, load.count);
	const open = (): Promise<Connection> => Connection.open(load);
	const places = Array.from({ length: load.connections });
	const connections = load.tls === "new" ? [] : await Promise.all(places.map(open));
	const latencies = new Float64Array(requests.length);
	const serverBefore = processorSeconds(load.pid);
	const own = process.cpuUsage();
	const start = performance.now();
	const deadline = start + load.seconds * 1000;
	let next = 0;
	let done = 0;
	const take = (): Buffer | undefined => (performance.now() < deadline ? requests[next++] : undefined);
	const onAnswer = (milliseconds: number): void => {
		latencies[done++] = milliseconds;
	};
	await Promise.all(
		load.tls === "new"
			? places.map(() => onNewConnections(open, take, onAnswer))
			: connections.map((connection) => connection.exchange(take, onAnswer)),
	);
	const seconds = (performance.now() - start) / 1000;
	const { user, system } = process.cpuUsage(own);
	const serverAfter = processorSeconds(load.pid);
	for (const connection of connections) connection.close();
	const sorted = latencies.subarray(0, done).sort();
	return {
		requests: done,
		seconds,
		p50Ms: sorted[Math.floor(done * 0.5)] ?? Number.NaN,
		p99Ms: sorted[Math.floor(done * 0.99)] ?? Number.NaN,
		serverSeconds:
			serverBefore === undefined || serverAfter === undefined ? undefined : serverAfter - serverBefore,
		generatorSeconds: (user + system) / 1e6,
	};
}

/** The length is unknown: a chunked response (RFC 9112, section 7.1). */
const IN_CHUNKS = Number.MAX_SAFE_INTEGER;

/** The responses are JSON, which never ends with these bytes. */
function chunked(bytes: Buffer): number {
	return bytes.subarray(-5).equals(LAST_CHUNK) ? 0 : IN_CHUNKS;
}

/** Response times include opening the connection. */
async function onNewConnections(
	open: () => Promise<Connection>,
	take: () => Buffer | undefined,
	onAnswer: (milliseconds: number) => void,
): Promise<void> {
	for (let bytes = take(); bytes !== undefined; bytes = take()) {
		const startedAt = performance.now();
		const connection = await open();
		const once = [bytes];
		await connection.exchange(
			() => once.pop(),
			() => onAnswer(performance.now() - startedAt),
		);
		connection.close();
	}
}

/** One keep-alive connection, which sends the next request after each response. */
class Connection {
	readonly #socket: net.Socket;
	readonly #expected: readonly string[];
	#onChunk: (chunk: Buffer) => void = () => undefined;
	#fail: (error: Error) => void = () => undefined;

	constructor(socket: net.Socket, statuses: readonly number[]) {
		this.#socket = socket;
		this.#expected = statuses.map((status) => `HTTP/1.1 ${status} `);
	}

	static open({ port, plan, tls: overTls }: Load): Promise<Connection> {
		return new Promise((resolve, reject) => {
			const onChunk = (chunk: Buffer): void => connection.#onChunk(chunk);
			const socket = overTls === undefined ? openPlain(port, onChunk) : openSecure(port, onChunk);
			const connection = new Connection(socket, EXPECTED_STATUSES[plan.kind]);
			socket.once(overTls === undefined ? "connect" : "secureConnect", () => resolve(connection));
			socket.on("error", (error) => {
				reject(error);
				connection.#fail(error);
			});
			socket.on("close", () => connection.#fail(new Error("the server closed a connection")));
		});
	}

	/** Sends requests until `next` returns none. @throws Error for an unexpected response. */
	exchange(next: () => Buffer | undefined, onAnswer: (milliseconds: number) => void): Promise<void> {
		return new Promise((resolve, reject) => {
			this.#fail = reject;
			let sentAt = 0;
			let missing = 0;
			const send = (): void => {
				const bytes = next();
				if (bytes === undefined) {
					resolve();
					return;
				}
				sentAt = performance.now();
				this.#socket.write(bytes);
			};
			this.#onChunk = (chunk) => {
				if (missing === 0) missing = this.#bytesMissing(chunk, reject);
				else missing = missing === IN_CHUNKS ? chunked(chunk) : missing - chunk.length;
				if (missing > 0) return;
				onAnswer(performance.now() - sentAt);
				send();
			};
			send();
		});
	}

	close(): void {
		this.#fail = () => undefined;
		this.#socket.destroy();
	}

	/** Reads the rest of a response, after the first chunk with at least the headers. */
	#bytesMissing(chunk: Buffer, fail: (error: Error) => void): number {
		const headEnd = chunk.indexOf("\r\n\r\n") + 4;
		const head = chunk.toString("latin1", 0, headEnd);
		const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1]);
		const isExpected = this.#expected.some((expected) => head.startsWith(expected));
		if (isExpected && /\r\ntransfer-encoding: chunked\r\n/i.test(head)) return chunked(chunk);
		if (!isExpected || Number.isNaN(length)) {
			fail(
				new Error(`expected ${this.#expected.join("or ").trim()}, got: ${chunk.toString("utf8", 0, 400)}`),
			);
			return Number.POSITIVE_INFINITY;
		}
		return headEnd + length - chunk.length;
	}
}

function openPlain(port: number, onChunk: (chunk: Buffer) => void): net.Socket {
	const buffer = Buffer.allocUnsafe(READ_BUFFER_BYTES);
	return net.connect({
		host: "127.0.0.1",
		port,
		noDelay: true,
		// Reads into one reused buffer: a stream would allocate one per chunk.
		onread: {
			buffer,
			callback: (bytes) => {
				onChunk(buffer.subarray(0, bytes));
				return true;
			},
		},
	});
}

/** Accepts self-signed certificates and resumes no session. */
function openSecure(port: number, onChunk: (chunk: Buffer) => void): net.Socket {
	const socket = tls.connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
	return socket.setNoDelay(true).on("data", onChunk);
}
