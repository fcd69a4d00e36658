// A Redis server with its own port that a test can kill, freeze, and restart.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { makeCertificate, putCertificate } from "../certificates/certificate.ts";
import { freePorts } from "../processes/program.ts";

const PATIENCE_MS = 30_000;

export interface OwnRedis {
	/** With the password, if one is set. */
	readonly url: string;
	readonly port: number;
	/** PEM file of the self-signed certificate of a TLS server. */
	readonly certFile: string;
	/** Resolves when the server accepts commands. */
	start(): Promise<void>;
	/** SIGKILL and SIGTERM resolve when the server has exited. */
	signal(signal: NodeJS.Signals): Promise<void>;
	/** Opens another connection; `remove` closes it. */
	client(): Redis;
	/** Stops the server and removes the folder. */
	remove(): Promise<void>;
}

/** `false`, or the reason to skip tests with their own server. With `CI` set they never skip. */
export const OWN_REDIS_SKIPPED: false | string =
	process.env.CI === undefined && findServer() === undefined ? "no redis-server or valkey-server" : false;

export interface OwnRedisOptions {
	readonly tls?: boolean;
	readonly password?: string;
	/** More arguments of the server. */
	readonly more?: readonly string[];
	/** Lines of a configuration file, which make it a Sentinel. */
	readonly sentinel?: string;
	/** Default: a new self-signed certificate. */
	readonly certificate?: { readonly cert: string; readonly key: string };
}

/** Starts an empty server without persistence. */
export async function startOwnRedis(options: OwnRedisOptions = {}): Promise<OwnRedis> {
	const program = findServer();
	if (program === undefined) throw new Error("Redis is not installed");
	const folder = mkdtempSync(join(tmpdir(), "latchkey-redis-"));
	const [port = 0] = await freePorts(1);
	const { certFile, keyFile } = putCertificate(
		folder,
		options.certificate ?? (await makeCertificate("redis")),
	);
	const tls = ["--port", "0", "--tls-port", String(port), "--tls-auth-clients", "no"];
	const pair = ["--tls-cert-file", certFile, "--tls-key-file", keyFile, "--tls-ca-cert-file", certFile];
	const listen = options.tls === true ? [...tls, ...pair] : ["--port", String(port)];
	const auth = options.password === undefined ? [] : ["--requirepass", options.password];
	const args = [
		"--bind",
		"127.0.0.1",
		"--dir",
		folder,
		"--save",
		"",
		"--appendonly",
		"no",
		...listen,
		...auth,
		...(options.more ?? []),
	];
	const config = join(folder, "sentinel.conf");
	if (options.sentinel !== undefined) {
		writeFileSync(config, options.sentinel);
		args.splice(
			0,
			args.length,
			config,
			"--sentinel",
			"--bind",
			"127.0.0.1",
			"--dir",
			folder,
			...listen,
			...auth,
		);
	}
	const secret = options.password === undefined ? "" : `:${encodeURIComponent(options.password)}@`;
	const url = `${options.tls === true ? "rediss" : "redis"}://${secret}127.0.0.1:${port}`;
	const clients: Redis[] = [];
	let server: ChildProcess | undefined;
	const connect = (): Redis => {
		const client = new Redis(url, {
			...(options.tls === true && { tls: { rejectUnauthorized: false } }),
			maxRetriesPerRequest: 0,
			retryStrategy: null,
			lazyConnect: true,
		});
		client.on("error", () => undefined);
		return client;
	};
	const isUp = async (): Promise<boolean> => {
		const client = connect();
		try {
			await client.connect();
			return (await client.ping()) === "PONG";
		} catch {
			return false;
		} finally {
			client.disconnect();
		}
	};
	const start = async (): Promise<void> => {
		server = spawn(program, args, { stdio: "ignore" });
		const deadline = performance.now() + PATIENCE_MS;
		while (!(await isUp())) {
			if (performance.now() > deadline) throw new Error("Redis did not start");
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	};
	const signal = async (name: NodeJS.Signals): Promise<void> => {
		if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
		const ended = name === "SIGKILL" || name === "SIGTERM" ? once(server, "exit") : undefined;
		server.kill(name);
		await ended;
	};
	await start();
	return {
		url,
		port,
		certFile,
		start,
		signal,
		client() {
			const client = connect();
			clients.push(client);
			return client;
		},
		async remove() {
			for (const client of clients) client.disconnect();
			await signal("SIGKILL");
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

function findServer(): string | undefined {
	for (const name of ["redis-server", "valkey-server"]) {
		try {
			execFileSync(name, ["--version"], { stdio: "pipe" });
			return name;
		} catch {
			// Try the next name.
		}
	}
	return undefined;
}
