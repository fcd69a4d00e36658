// A socket that sends bytes unchanged and reads the responses, for requests that no HTTP client sends.

import net from "node:net";
import tls from "node:tls";

export type HeaderList = readonly (readonly [name: string, value: string])[];

export interface RawResponse {
	readonly status: number;
	/** By lower-case name; repeated headers are joined with a comma. */
	readonly headers: Readonly<Record<string, string>>;
	readonly text: string;
	/** Parsed JSON. */
	readonly body: ReturnType<typeof JSON.parse>;
}

export interface RawConnection {
	/** Resolves after the TLS handshake. Earlier writes wait for it. */
	opened(): Promise<void>;
	write(bytes: string | Buffer): void;
	/** The next response, including 1xx; rejects when the connection ends before it is complete, or after 10 s. */
	next(options?: { readonly head?: boolean }): Promise<RawResponse>;
	/** Resolves when the peer has closed, with what it sent after the last response read. */
	closed(): Promise<string>;
	close(): void;
}

/** A service, or a proxy in front of it. */
export interface WireTarget {
	readonly httpPort: number;
	readonly httpsPort: number;
	/** Default: 127.0.0.1. */
	readonly host?: string;
	/** The source address; default: chosen by the system. */
	readonly localAddress?: string;
}

const PATIENCE_MS = 30_000;

export function connect(target: WireTarget, { secure }: { readonly secure: boolean }): RawConnection {
	const { httpPort, httpsPort, host = "127.0.0.1", localAddress } = target;
	const from = localAddress === undefined ? {} : { localAddress };
	const socket = secure
		? tls.connect({ host, port: httpsPort, rejectUnauthorized: false, ...from })
		: net.connect({ host, port: httpPort, ...from });
	let buffer = Buffer.alloc(0);
	let isOpen = false;
	let isOver = false;
	const listeners = new Set<() => void>();
	const tell = (): void => {
		for (const listener of [...listeners]) listener();
	};
	socket.setNoDelay(true);
	socket.once(secure ? "secureConnect" : "connect", () => {
		isOpen = true;
		tell();
	});
	socket.on("data", (chunk: Buffer) => {
		buffer = Buffer.concat([buffer, chunk]);
		tell();
	});
	// A reset after the response counts as a close; before it, `next` reports the missing response.
	socket.on("error", () => undefined);
	socket.on("close", () => {
		isOver = true;
		tell();
	});

	const until = <T>(what: string, look: () => T | undefined): Promise<T> =>
		new Promise((resolve, reject) => {
			const timer = setTimeout(() => finish(new Error(`${what}: nothing for 30 s`)), PATIENCE_MS);
			const finish = (error: Error | undefined, value?: T): void => {
				clearTimeout(timer);
				listeners.delete(attempt);
				if (error === undefined) resolve(value as T);
				else reject(error);
			};
			const attempt = (): void => {
				const value = look();
				if (value !== undefined) finish(undefined, value);
				else if (isOver)
					finish(
						new Error(`${what}: the connection ended after ${JSON.stringify(buffer.toString("latin1"))}`),
					);
			};
			listeners.add(attempt);
			attempt();
		});

	return {
		opened: () => until("a connection", () => (isOpen ? true : undefined)).then(() => undefined),
		write: (bytes) => void socket.write(bytes),
		next: ({ head = false } = {}) =>
			until("a response", () => {
				const parsed = parseResponse(buffer, head);
				if (parsed === undefined) return undefined;
				buffer = buffer.subarray(parsed.bytes);
				return parsed.response;
			}),
		closed: () => until("a close", () => (isOver ? buffer.toString("latin1") : undefined)),
		close: () => void socket.destroy(),
	};
}

/** The bytes of a request. Only the empty line is added. */
export function requestBytes(
	method: string,
	target: string,
	headers: HeaderList,
	body: Buffer | string = "",
): Buffer {
	const head = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
	return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), Buffer.from(body)]);
}

/** Sends bytes on a new connection. @returns the first response */
export async function exchange(
	target: WireTarget,
	bytes: string | Buffer,
	options: { readonly secure?: boolean; readonly head?: boolean } = {},
): Promise<RawResponse> {
	const connection = connect(target, { secure: options.secure ?? false });
	try {
		connection.write(bytes);
		return await connection.next({ head: options.head ?? false });
	} finally {
		connection.close();
	}
}

function parseResponse(buffer: Buffer, head: boolean): { response: RawResponse; bytes: number } | undefined {
	const headEnd = buffer.indexOf("\r\n\r\n");
	if (headEnd === -1) return undefined;
	const [statusLine = "", ...lines] = buffer.toString("latin1", 0, headEnd).split("\r\n");
	const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1]);
	const headers: Record<string, string> = {};
	for (const line of lines) {
		const colon = line.indexOf(":");
		const name = line.slice(0, colon).toLowerCase();
		const value = line.slice(colon + 1).trim();
		headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
	}
	if (headers["transfer-encoding"] !== undefined)
		throw new Error("this reader does not support chunked responses");
	const isBare = head || status < 200 || status === 204 || status === 304;
	const length = isBare ? 0 : Number(headers["content-length"]);
	const start = headEnd + 4;
	if (buffer.length < start + length) return undefined;
	const text = buffer.toString("utf8", start, start + length);
	const body = text !== "" && /json/.test(headers["content-type"] ?? "") ? JSON.parse(text) : undefined;
	return { response: { status, headers, text, body }, bytes: start + length };
}
