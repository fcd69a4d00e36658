// A PostgreSQL server with its own port and folder that a test can kill and restart.

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
	/** Resolves when the server accepts connections. */
	start(): Promise<void>;
	/** Signals the main process of the server. */
	signal(signal: NodeJS.Signals): void;
	/** Signals every process of the server. */
	signalAll(signal: "SIGSTOP" | "SIGCONT"): void;
	/** Stops the server and removes the folder. */
	remove(): Promise<void>;
}

/** `false`, or the reason to skip tests with their own server. With `CI` set they never skip. */
export const OWN_POSTGRES_SKIPPED: false | string =
	process.env.CI === undefined && findPrograms() === undefined
		? "no PostgreSQL server binaries (pg_config --bindir)"
		: false;

/** Starts a server with one empty database. The servers of a run may have the same system identifier. */
export async function startOwnPostgres(settings: readonly string[] = []): Promise<OwnPostgres> {
	const place = makePlace();
	await initialize(place);
	return startServer(place, await freePort(), settings);
}

/** Starts a server with a system identifier of its own. */
export async function startUniquePostgres(): Promise<OwnPostgres> {
	const place = makePlace();
	await initdb(place, place.data);
	return startServer(place, await freePort(), []);
}

/** Only the first server of a run calls initdb; the others copy its folder in a tenth of the time. */
async function initialize(place: Place): Promise<void> {
	const runFolder = process.env.TEST_CERTIFICATE_FOLDER;
	if (runFolder === undefined) return initdb(place, place.data);
	const template = join(runFolder, "postgres-template");
	if (!existsSync(template)) {
		const fresh = join(place.folder, "template");
		await initdb(place, fresh);
		// Only a complete template gets the name; another process may have created it first.
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

/** Stops the server, and starts a new cluster into which `pg_upgrade` moved its data. */
export async function startUpgradedPostgres(old: OwnPostgres): Promise<OwnPostgres> {
	const [row] = (await ask(old.url, "SHOW data_directory")) as { readonly data_directory: string }[];
	const oldData = String(row?.data_directory);
	old.signal("SIGINT");
	await until("a stopped server", async () => !existsSync(join(oldData, "postmaster.pid")));
	const place = makePlace();
	await initdb(place, place.data);
	const { programs, folder, data } = place;
	const upgrade = ["-b", programs, "-B", programs, "-d", oldData, "-D", data, "-s", folder, "-U", "latchkey"];
	await runTool(place, "pg_upgrade", [...upgrade, "--no-sync"]);
	return startServer(place, await freePort(), []);
}

export interface OwnStandby extends OwnPostgres {
	/** Resolves when the standby accepts writes. */
	promote(): Promise<void>;
	/** Resolves when no further write of the primary reaches the standby. */
	stopReceiving(): Promise<void>;
}

/** Starts a standby; from now on the primary acknowledges only commits that are on the standby's disk too. */
export async function startSynchronousStandby(primary: OwnPostgres): Promise<OwnStandby> {
	const standby = await startStandby(primary);
	// Set only now: without a standby, every commit would wait for one.
	await ask(primary.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
	await ask(primary.url, "SELECT pg_reload_conf()");
	const isSynchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
	await until("a synchronous standby", async () => (await ask(primary.url, isSynchronous)).length === 1);
	return standby;
}

/** Starts a standby for which the primary does not wait. */
export async function startStandby(primary: OwnPostgres): Promise<OwnStandby> {
	const place = makePlace();
	const source = `${primary.url}?application_name=standby`;
	const basebackup = ["-d", source, "-D", place.data, "-R", "-X", "stream", "-c", "fast", "--no-sync"];
	await runTool(place, "pg_basebackup", basebackup);
	const standby = await startServer(place, await freePort(), []);
	return {
		...standby,
		async stopReceiving() {
			await ask(standby.url, "ALTER SYSTEM SET primary_conninfo = ''");
			await ask(standby.url, "SELECT pg_reload_conf()");
			const isReceiving = "SELECT 1 FROM pg_stat_wal_receiver";
			await until("a standby that lags", async () => (await ask(standby.url, isReceiving)).length === 0);
		},
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
	const programs = postgresPrograms();
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
			if (await responses(url)) return true;
			// After a kill, a start is refused until the last old process has exited.
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
		// Debian installs the server binaries outside PATH.
	}
	return [18, 17, 16, 15]
		.map((version) => `/usr/lib/postgresql/${version}/bin`)
		.find((path) => existsSync(join(path, "initdb")));
}

/** The folder of the programs of the server. @throws Error when PostgreSQL is not installed. */
export function postgresPrograms(): string {
	const programs = findPrograms();
	if (programs === undefined) throw new Error("PostgreSQL is not installed");
	return programs;
}

/** The user of the PostgreSQL package if the tests run as root, which PostgreSQL refuses; otherwise undefined. */
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

async function responses(url: string): Promise<boolean> {
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
