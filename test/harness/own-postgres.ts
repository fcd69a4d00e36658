// A PostgreSQL server of a test's own, on its own port and folder, to be killed and started again.

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";

const PATIENCE_MS = 20_000;

export interface OwnPostgres {
	readonly url: string;
	/** Resolves when it takes connections. */
	start(): Promise<void>;
	/** To the server's first process; the others notice by themselves. */
	signal(signal: NodeJS.Signals): void;
	/** To every process of the server. */
	signalAll(signal: "SIGSTOP" | "SIGCONT"): void;
	/** Ends it and removes the folder. */
	remove(): Promise<void>;
}

/** `false`, or why tests with a server of their own are skipped. Where `CI` is set they are not. */
export const OWN_POSTGRES_SKIPPED: false | string =
	process.env.CI === undefined && findPrograms() === undefined
		? "no PostgreSQL programs (pg_config --bindir)"
		: false;

/** An initialised server with one empty database, started. */
export async function startOwnPostgres(settings: readonly string[] = []): Promise<OwnPostgres> {
	const programs = findPrograms();
	if (programs === undefined) throw new Error("PostgreSQL is not installed");
	const folder = mkdtempSync(join(tmpdir(), "latchkey-postgres-"));
	const owner = serverOwner();
	if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
	chmodSync(folder, 0o700);
	const data = join(folder, "data");
	const initdb = ["-D", data, "-A", "trust", "-U", "latchkey", "-E", "UTF8", "--locale=C", "--no-sync"];
	await promisify(execFile)(join(programs, "initdb"), initdb, { ...owner, cwd: folder });
	const port = await freePort();
	const url = `postgres://latchkey@127.0.0.1:${port}/postgres`;
	let server: ChildProcess | undefined;
	const signal = (name: NodeJS.Signals): void => {
		server?.kill(name);
	};
	const start = async (): Promise<void> => {
		const options = [
			`port=${port}`,
			"listen_addresses=127.0.0.1",
			`unix_socket_directories=${folder}`,
			...settings,
		];
		const deadline = performance.now() + PATIENCE_MS;
		while (!(await answers(url))) {
			if (performance.now() > deadline) throw new Error("PostgreSQL did not start");
			// After a kill it refuses until the last of the old processes is gone.
			if (server === undefined || server.exitCode !== null || server.signalCode !== null) {
				const args = ["-D", data, ...options.flatMap((option) => ["-c", option])];
				server = spawn(join(programs, "postgres"), args, { ...owner, cwd: folder, stdio: "ignore" });
			}
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	};
	await start();
	return {
		url,
		start,
		signal,
		signalAll(name) {
			if (server?.pid === undefined) return;
			for (const pid of childrenOf(server.pid)) process.kill(pid, name);
			signal(name);
		},
		async remove() {
			const ended = server !== undefined && server.exitCode === null && server.signalCode === null;
			signal("SIGINT");
			if (ended && server !== undefined) await once(server, "exit");
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

function findPrograms(): string | undefined {
	try {
		const folder = execFileSync("pg_config", ["--bindir"], { encoding: "utf8", stdio: "pipe" }).trim();
		if (existsSync(join(folder, "initdb"))) return folder;
	} catch {
		// Debian keeps the programs of a server apart from the path.
	}
	return [18, 17, 16, 15]
		.map((version) => `/usr/lib/postgresql/${version}/bin`)
		.find((path) => existsSync(join(path, "initdb")));
}

/** The server refuses to run as root: then it runs as the user its package made. Undefined: as whoever runs the tests. */
export function serverOwner(): { readonly uid: number; readonly gid: number } | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const id = (option: string): number =>
		Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
	return { uid: id("-u"), gid: id("-g") };
}

function childrenOf(pid: number): number[] {
	const listed = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
	return listed
		.trim()
		.split(/\s+/)
		.filter((text) => text !== "")
		.map(Number);
}

async function answers(url: string): Promise<boolean> {
	const client = new Client({ connectionString: url });
	client.on("error", () => undefined);
	try {
		await client.connect();
		await client.query("SELECT 1");
		return true;
	} catch {
		return false;
	} finally {
		await client.end().catch(() => undefined);
	}
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	if (address === null || typeof address === "string") throw new Error("no port");
	return address.port;
}
