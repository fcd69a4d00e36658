// Two nodes of one installation: processes with a shared PostgreSQL database and Redis, behind HAProxy.

import { join } from "node:path";
import { OWN_REDIS_SKIPPED, type OwnRedis, startOwnRedis } from "../databases/own-redis.ts";
import { POSTGRES_SKIPPED } from "../databases/postgres-skipped.ts";
import { createPostgresDatabase, type OwnDatabase } from "../databases/test-engine.ts";
import { HAPROXY_SKIPPED, startHaproxy } from "../proxies/haproxy.ts";
import { PROXY_ADDRESS, type ReverseProxy } from "../proxies/reverse-proxy.ts";
import { temporaryFolder } from "../runs/folder.ts";
import { type CallOptions, type CallResponse, createCalls } from "../service/calls.ts";
import { ADMIN, type Credentials, signedHeaders } from "../service/service.ts";
import { freePorts, type ReadyProgram, startProgram } from "./program.ts";

/** `false`, or the reason to skip tests of several nodes. */
export const NODES_SKIPPED: false | string = POSTGRES_SKIPPED || OWN_REDIS_SKIPPED || HAPROXY_SKIPPED;

/** More frequent than in deploy/, so that HAProxy notices a stopping node within the shortest drain, one second. */
const CHECKS = "inter 300ms fastinter 100ms downinter 100ms";

/** The body is parsed JSON; undefined if empty. */
export type Reply = CallResponse<ReturnType<typeof JSON.parse>>;

/** A client of a node or load balancer with keep-alive connections and its own IP address. */
export interface Caller {
	/** Does not retry. @throws Error when the connection breaks */
	call(method: string, path: string, options?: CallOptions): Promise<Reply>;
	signed(
		credentials: Credentials,
		method: string,
		path: string,
		options?: CallOptions & { nonce?: string },
	): Promise<Reply>;
	/** @returns access and refresh token */
	signIn(username: string, password: string): Promise<{ access_token: string; refresh_token: string }>;
	close(): void;
}

export interface Node {
	readonly port: number;
	readonly program: ReadyProgram;
	/** Restarts the node on its port after it exited. */
	start(): Promise<void>;
	/** The value of the metric `name{labels}`; 0 if it does not exist. */
	figure(series: string): Promise<number>;
	/** A client that bypasses the load balancer; default address: 203.0.113.1. */
	caller(address?: string): Caller;
}

export interface Nodes {
	readonly nodes: readonly [Node, Node];
	readonly proxy: ReverseProxy;
	readonly redis: OwnRedis;
	readonly database: OwnDatabase;
	/** A client of the load balancer over TLS; default address: 127.0.0.2. */
	caller(address?: string): Caller;
	/** Stops and removes everything. */
	remove(): Promise<void>;
}

/** Starts the nodes without a rate limit and without delivery of mail, unless `env` says otherwise. */
export async function startNodes(env: Readonly<Record<string, string>> = {}): Promise<Nodes> {
	const folder = temporaryFolder();
	const closing: (() => unknown)[] = [() => folder[Symbol.dispose]()];
	const callers: Caller[] = [];
	const remove = async (): Promise<void> => {
		for (const caller of callers) caller.close();
		for (const close of closing.reverse()) await close();
	};
	const known = (caller: Caller): Caller => {
		callers.push(caller);
		return caller;
	};
	try {
		const database = await createPostgresDatabase({ migrated: false });
		closing.push(() => database.drop());
		const redis = await startOwnRedis();
		closing.push(() => redis.remove());
		const ports = await freePorts(4);
		const startNode = async (port: number, index: number): Promise<Node> => {
			const metricsPort = ports[index + 2];
			const settings = {
				LATCHKEY_DATA_DIR: join(folder.path, `node${index + 1}`),
				LATCHKEY_PORT: String(port),
				LATCHKEY_HTTPS_PORT: "0",
				LATCHKEY_METRICS_PORT: String(metricsPort),
				LATCHKEY_DATABASE_URL: `${database.url}?pool_size=12`,
				LATCHKEY_REDIS_URL: redis.url,
				LATCHKEY_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
				LATCHKEY_BCRYPT_COST: "10",
				LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
				LATCHKEY_TRUSTED_PROXIES: PROXY_ADDRESS,
				LATCHKEY_ADMIN_PASSWORD: ADMIN.password,
				LATCHKEY_LOG_LEVEL: "warn",
				...env,
			};
			let program = await startProgram({ env: settings });
			closing.push(() => program.end());
			return {
				port,
				get program() {
					return program;
				},
				async start() {
					await program.exited;
					program = await startProgram({ env: settings });
				},
				async figure(series) {
					const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
					const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `));
					return line === undefined ? 0 : Number(line.slice(series.length + 1));
				},
				caller: (address = "203.0.113.1") =>
					known(
						createCaller(`http://127.0.0.1:${port}`, {
							headers: { "x-forwarded-for": address, "x-forwarded-proto": "https" },
						}),
					),
			};
		};
		const nodes = (await Promise.all(ports.slice(0, 2).map(startNode))) as unknown as readonly [Node, Node];
		const proxy = await startHaproxy(nodes, [["inter 2s fastinter 500ms downinter 1s", CHECKS]]);
		closing.push(() => proxy.remove());
		const caller = (address = "127.0.0.2"): Caller =>
			known(createCaller(`https://127.0.0.1:${proxy.httpsPort}`, { localAddress: address }));
		return { nodes, proxy, redis, database, caller, remove };
	} catch (error) {
		await remove();
		throw error;
	}
}

export function createCaller(url: string, from: Parameters<typeof createCalls>[1]): Caller {
	const { protocol, port } = new URL(url);
	const { call: send, close } = createCalls({ http: Number(port), https: Number(port) }, from);
	const call: Caller["call"] = (method, path, options) =>
		send<Reply["body"]>(method, path, { ...options, https: protocol === "https:" });
	return {
		call,
		signed(credentials, method, path, { body, nonce, headers } = {}) {
			const text = body === undefined ? undefined : JSON.stringify(body);
			const signature = signedHeaders(credentials, { method, path, body: text, nonce, nowMs: Date.now() });
			return call(method, path, { body: text, headers: { ...signature, ...headers } });
		},
		async signIn(username, password) {
			const response = await call("POST", "/api/v1/auth/login", { body: { username, password } });
			if (response.status !== 200) throw new Error(`sign-in of ${username} returned ${response.status}`);
			return response.body.data;
		},
		close,
	};
}
