// Calls a service on this machine over keep-alive connections.

import http, { type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import { noteSuccess } from "./observed.ts";
import type { BodyOf, Refusal } from "./wire-body.ts";

/** Closes idle connections before the service does, so that no call uses one that the service is closing. */
const POOL = { keepAlive: true, maxSockets: 256, timeout: 30_000 };

export interface CallResponse<Body = Refusal> {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/** Parsed if it is JSON, otherwise text; undefined if empty. */
	readonly body: Body;
}

export interface CallOptions {
	readonly token?: string | undefined;
	/** Sent as JSON; a string or Buffer is sent unchanged with the JSON content type. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string | string[]>>;
	/** Over TLS; default: plain HTTP. */
	readonly https?: boolean;
}

export interface TypedCall<Options> {
	<M extends string, P extends string>(
		method: M,
		path: P,
		options?: Options,
	): Promise<CallResponse<BodyOf<M, P>>>;
	<Body>(method: string, path: string, options?: Options): Promise<CallResponse<Body>>;
}

export interface Calls {
	/** Rejects when the connection breaks; does not retry. */
	readonly call: TypedCall<CallOptions>;
	close(): void;
}

/** @param from the source address, and headers of every request */
export function createCalls(
	ports: { readonly http: number; readonly https: number },
	from: { readonly localAddress?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Calls {
	const agents = {
		http: new http.Agent(POOL),
		https: new https.Agent({ ...POOL, rejectUnauthorized: false }),
	};
	const call: TypedCall<CallOptions> = <Body>(
		method: string,
		path: string,
		{ token, body, headers, https: secure = false }: CallOptions = {},
	): Promise<CallResponse<Body>> =>
		new Promise((resolve, reject) => {
			const bytes =
				body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
			const request = (secure ? https : http).request({
				host: "127.0.0.1",
				port: secure ? ports.https : ports.http,
				agent: secure ? agents.https : agents.http,
				method,
				path,
				...(from.localAddress !== undefined && { localAddress: from.localAddress }),
				headers: {
					...(bytes === undefined
						? {}
						: { "content-type": typeOf(bytes), "content-length": Buffer.byteLength(bytes) }),
					...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
					...from.headers,
					...headers,
				},
			});
			request.on("error", reject);
			request.on("response", (response) => {
				const chunks: Buffer[] = [];
				response.on("data", (chunk: Buffer) => chunks.push(chunk));
				response.on("error", reject);
				response.on("end", () => {
					noteSuccess(method, path, response.statusCode as number);
					const text = Buffer.concat(chunks).toString("utf8");
					const json = /json\b/.test(response.headers["content-type"] ?? "");
					resolve({
						status: response.statusCode as number,
						headers: response.headers,
						body: text === "" ? undefined : json ? JSON.parse(text) : text,
					});
				});
			});
			request.end(bytes);
		});
	return {
		call,
		close() {
			agents.http.destroy();
			agents.https.destroy();
		},
	};
}

/** Images begin with the first byte of PNG, which no JSON text contains at its start. */
function typeOf(bytes: string | Buffer): string {
	return bytes[0] === 0x89 ? "image/png" : "application/json";
}
