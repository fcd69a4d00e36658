// A PostgreSQL server of a test's own, on its own port and folder, to be killed and started again.

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";

const PATIENCE_MS = 60_000;

export interface OwnPostgres {
	readonly url: string;
	/** The same database over the server's Unix socket. */
	readonly socketUrl: string;
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
	const place = makePlace();
	await initialise(place);
	return startServer(place, await freePort(), settings);
}

/** Within a run the first server initialises, and all others copy: that takes a tenth of the time. */
async function initialise(place: Place): Promise<void> {
	const runFolder = process.env.TEST_CERTIFICATE_FOLDER;
	if (runFolder === undefined) return initdb(place, place.data);
	const template = join(runFolder, "postgres-template");
	if (!existsSync(template)) {
		const fresh = join(place.folder, "template");
		await initdb(place, fresh);
		// Only a complete template gets the name; another process may have been first.
		if (!existsSync(template)) await rename(fresh, template).catch(() => rm(fresh, { recursive: true }));
	}
	await promisify(execFile)("cp", ["-R", template, place.data], { ...place.owner, cwd: place.folder });
}

const initdb = (place: Place, data: string): Promise<void> =>
	runTool(place, "initdb", [
		"-D",
		data,
		"-A",
		"trust",
		"-U",
		"latchkey",
		"-E",
		"UTF8",
		"--locale=C",
		"--no-sync",
	]);

export interface OwnStandby extends OwnPostgres {
	/** Resolves when it takes writes. */
	promote(): Promise<void>;
}

/** A copy of the server that follows it; from now on the server acknowledges only what the standby has on disk too. */
export async function startSynchronousStandby(primary: OwnPostgres): Promise<OwnStandby> {
	const place = makePlace();
	const source = `${primary.url}?application_name=standby`;
	const basebackup = ["-d", source, "-D", place.data, "-R", "-X", "stream", "-c", "fast", "--no-sync"];
	await runTool(place, "pg_basebackup", basebackup);
	const standby = await startServer(place, await freePort(), []);
	// Not before: without a standby every commit would wait for one.
	await ask(primary.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
	await ask(primary.url, "SELECT pg_reload_conf()");
	const isSynchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
	await until("a synchronous standby", async () => (await ask(primary.url, isSynchronous)).length === 1);
	return {
		...standby,
		async promote() {
			await ask(standby.url, "SELECT pg_promote(false)");
			const isPrimary = "SELECT 1 WHERE NOT pg_is_in_recovery()";
			await until("a promoted standby", async () => (await ask(standby.url, isPrimary)).length === 1);
		},
	};
}

interface Place {
	readonly programs: string;
	readonly folder: string;
	readonly data: string;
	readonly owner: ReturnType<typeof serverOwner>;
}

function makePlace(): Place {
	const programs = findPrograms();
	if (programs === undefined) throw new Error("PostgreSQL is not installed");
	const folder = mkdtempSync(join(tmpdir(), "latchkey-postgres-"));
	const owner = serverOwner();
	if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
	chmodSync(folder, 0o700);
	return { programs, folder, data: join(folder, "data"), owner };
}

async function runTool(
	{ programs, folder, owner }: Place,
	tool: string,
	args: readonly string[],
): Promise<void> {
	await promisify(execFile)(join(programs, tool), args, { ...owner, cwd: folder });
}

async function startServer(place: Place, port: number, settings: readonly string[]): Promise<OwnPostgres> {
	const { programs, folder, data, owner } = place;
	const url = `postgres://latchkey@127.0.0.1:${port}/postgres`;
	let server: ChildProcess | undefined;
	const signal = (name: NodeJS.Signals): void => {
		server?.kill(name);
	};
	const start = (): Promise<void> =>
		until("PostgreSQL", async () => {
			if (await answers(url)) return true;
			// After a kill it refuses until the last of the old processes is gone.
			if (server === undefined || server.exitCode !== null || server.signalCode !== null) {
				const own = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`];
				const args = ["-D", data, ...[...own, ...settings].flatMap((option) => ["-c", option])];
				server = spawn(join(programs, "postgres"), args, { ...owner, cwd: folder, stdio: "ignore" });
			}
			return false;
		});
	await start();
	return {
		url,
		socketUrl: `postgres://latchkey@${encodeURIComponent(folder)}:${port}/postgres`,
		start,
		signal,
		signalAll(name) {
			if (server?.pid === undefined) return;
			for (const pid of childrenOf(server.pid)) process.kill(pid, name);
			signal(name);
		},
		async remove() {
			const isRunning = server !== undefined && server.exitCode === null && server.signalCode === null;
			signal("SIGINT");
			if (isRunning && server !== undefined) await once(server, "exit");
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
	const deadline = performance.now() + PATIENCE_MS;
	while (!(await look())) {
		if (performance.now() > deadline) throw new Error(`${what}: nothing for ${PATIENCE_MS / 1000} s`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
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

/** The server refuses to run as root: then it runs as the user its package made. Undefined: as the user who runs the tests. */
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
	return ask(url, "SELECT 1").then(
		() => true,
		() => false,
	);
}

async function ask(url: string, sql: string): Promise<unknown[]> {
	const client = new Client({ connectionString: url });
	client.on("error", () => undefined);
	try {
		await client.connect();
		return (await client.query(sql)).rows;
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
