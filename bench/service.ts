// The service under test: started like an installation, in a temporary directory, with all features enabled.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNode, stopChild } from "./children.ts";

const START_LIMIT_MS = 60_000;
const ADMIN_PASSWORD = "correct horse battery staple";

/** The number of hash threads that the service uses with this number of CPUs. */
export function hashThreads(processors: number): number {
	return Math.max(1, processors - 1);
}

export interface RunningService {
	readonly child: ChildProcess;
	readonly pid: number;
	readonly port: number;
	readonly httpsPort: number;
	readonly metricsPort: number;
	/** From the start of the process to its ready line. */
	readonly readySeconds: number;
	/** Calls the API with JSON. @throws Error for status 400 and above. */
	call(method: string, path: string, options?: CallOptions): Promise<Answered>;
	/** Signs in and returns the access token. */
	signIn(username: string, password: string): Promise<string>;
	adminToken(): Promise<string>;
	stop(): Promise<void>;
}

export interface CallOptions {
	readonly token?: string;
	readonly body?: unknown;
	/** The client's IP address, as forwarded by a load balancer. */
	readonly from?: string;
}

export interface Answered {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	readonly body: ReturnType<typeof JSON.parse>;
}

/**
 * Listens for HTTP, HTTPS and metrics, logs to a file at level info, and uses cost 12 and the default rate limit. The
 * load arrives over plain HTTP, as from a trusted load balancer on this machine, so that TLS is not measured.
 */
export async function startService(
	dataDir: string,
	processors: string | undefined,
	env: Readonly<Record<string, string>> = {},
	entry = "bin/latchkey.js",
): Promise<RunningService> {
	const [port, httpsPort, metricsPort] = await Promise.all([freePort(), freePort(), freePort()]);
	const log = openSync(join(dataDir, "service.log"), "a");
	const start = performance.now();
	const child = startNode(entry, ["serve"], {
		processors,
		cwd: dataDir,
		errors: log,
		responses: false,
		env: {
			LATCHKEY_DATA_DIR: join(dataDir, "data"),
			LATCHKEY_PORT: String(port),
			LATCHKEY_HTTPS_PORT: String(httpsPort),
			LATCHKEY_METRICS_PORT: String(metricsPort),
			LATCHKEY_TRUSTED_PROXIES: "127.0.0.1/32",
			LATCHKEY_ADMIN_PASSWORD: ADMIN_PASSWORD,
			LATCHKEY_GATE_LIMIT_PER_MINUTE: "1000000",
			...env,
		},
	});
	closeSync(log);
	await ready(child, dataDir);
	const readySeconds = (performance.now() - start) / 1000;
	const call = (method: string, path: string, options: CallOptions = {}) =>
		request(port, method, path, options);
	const signIn = async (username: string, password: string): Promise<string> => {
		const { body } = await call("POST", "/api/v1/auth/login", { body: { username, password } });
		return body.data.access_token;
	};
	return {
		child,
		pid: child.pid as number,
		port,
		httpsPort,
		metricsPort,
		readySeconds,
		call,
		signIn,
		adminToken: () => signIn("admin", ADMIN_PASSWORD),
		stop: () => stopChild(child),
	};
}

async function request(
	port: number,
	method: string,
	path: string,
	{ token, body, from }: CallOptions,
): Promise<Answered> {
	const response = await fetch(`http://127.0.0.1:${port}${path}`, {
		method,
		headers: {
			...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
			...(body === undefined ? {} : { "content-type": "application/json" }),
			...(from === undefined ? {} : { "x-forwarded-for": from, "x-forwarded-proto": "https" }),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	if (response.status >= 400) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
	return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

async function ready(child: ChildProcess, dataDir: string): Promise<void> {
	const limit = AbortSignal.timeout(START_LIMIT_MS);
	let printed = "";
	const said = new Promise<void>((resolve) =>
		child.stdout?.setEncoding("utf8").on("data", (text: string) => {
			printed += text;
			if (/^latchkey ready /m.test(printed)) resolve();
		}),
	);
	const ended = once(child, "exit", { signal: limit }).then(() => {
		throw new Error(`the service did not start; see ${join(dataDir, "service.log")}`);
	});
	await Promise.race([said, ended]);
	ended.catch(() => undefined);
}

/** Port 0 disables a listener, so choose a free port here. */
async function freePort(): Promise<number> {
	const server = net.createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	server.close();
	return port;
}

/** Runs `work` on a service without a rate limit, in a temporary folder. @param database its PostgreSQL URL; default: embedded */
export async function withUnlimitedService(
	name: string,
	database: string | undefined,
	work: (service: RunningService) => Promise<void>,
): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), `latchkey-${name}-`));
	const service = await startService(folder, undefined, {
		LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
		...(database !== undefined && {
			LATCHKEY_DATABASE_URL: database,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
		}),
	});
	try {
		await work(service);
	} finally {
		await service.stop();
		rmSync(folder, { recursive: true });
	}
}
