// Runs the real executable in a separate process, for tests of commands, signals, and starts.

import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const ENTRY = join(ROOT, "bin/latchkey.js");
const READY = /^latchkey ready (.*)$/m;
/** The first line of every command that works on an installation. */
const NAMED = /^installation: ((?:default settings|settings from .+); data directory .+; database .+)\n/;
/** Far above the duration of a start, which takes well under a second on an idle machine. */
const PATIENCE_MS = 60_000;

export interface ProgramOptions {
	/** Added to PATH and HOME; the rest of the test's environment is not inherited. */
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
	/** Standard input; closed afterwards. */
	readonly input?: string | Buffer;
	/** Options of Node.js, before the script. */
	readonly nodeOptions?: readonly string[];
	/** Treats standard error as a terminal, so that the command prints progress. */
	readonly onTerminal?: boolean;
	/** Default: `bin/latchkey.js` of the checkout. */
	readonly entry?: string;
	/** The Node.js binary; default: the current one. */
	readonly node?: string;
	/** The user of the process; default: the user who runs the tests. */
	readonly owner?: { readonly uid: number; readonly gid: number };
}

export interface Exit {
	/** null if a signal ended the process. */
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	/** Without the line that names the installation, which is `named`. */
	readonly stderr: string;
	/** `settings from …` or `default settings`, then `; data directory …; database …`; undefined for a command without an installation. */
	readonly named: string | undefined;
}

export interface Program {
	readonly pid: number;
	/** The output so far. */
	stdout(): string;
	stderr(): string;
	kill(signal: NodeJS.Signals): void;
	/** Resolves when the process has exited and its output is complete. */
	readonly exited: Promise<Exit>;
	/** Waits up to 60 s until standard output or error matches the pattern. */
	printed(pattern: RegExp, patienceMs?: number): Promise<RegExpExecArray>;
	/** Kills the process if it still runs. Always call it. */
	end(): Promise<void>;
}

export interface ReadyProgram extends Program {
	/** From the ready line; `""` for a disabled listener. */
	readonly httpUrl: string;
	readonly httpsUrl: string;
}

/** Starts `latchkey <args>`. */
export function spawnProgram(args: readonly string[], options: ProgramOptions = {}): Program {
	const { env = {}, cwd = ROOT, input, nodeOptions = [], entry = ENTRY, node = process.execPath } = options;
	const terminal = options.onTerminal ? ["--import", "data:text/javascript,process.stderr.isTTY=true"] : [];
	const child = spawn(node, [...terminal, ...nodeOptions, entry, ...args], {
		...options.owner,
		cwd,
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
		stdio: ["pipe", "pipe", "pipe"],
	});
	// A process that never reads its input may exit before the write.
	child.stdin.on("error", () => undefined);
	child.stdin.end(input);
	return watch(child);
}

/** Runs a command until it exits. After 60 s it is killed, which `signal` then shows. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<Exit> {
	const program = spawnProgram(args, options);
	const timer = setTimeout(() => program.kill("SIGKILL"), PATIENCE_MS);
	try {
		return await program.exited;
	} finally {
		clearTimeout(timer);
	}
}

/** Starts `latchkey serve` and waits until it is ready. @throws Error with its output when it exits instead */
export function startProgram(options: ProgramOptions = {}): Promise<ReadyProgram> {
	return whenReady(spawnProgram(["serve"], options));
}

/** Waits until a spawned service is ready; kills it if it does not become ready. */
export async function whenReady(program: Program, patienceMs?: number): Promise<ReadyProgram> {
	try {
		const [, line = ""] = await program.printed(READY, patienceMs);
		const urls = line.split(" ");
		return {
			...program,
			httpUrl: urls.find((url) => url.startsWith("http:")) ?? "",
			httpsUrl: urls.find((url) => url.startsWith("https:")) ?? "",
		};
	} catch (error) {
		await program.end();
		throw error;
	}
}

/** Extracts the line that names the installation from standard error. */
export function exitOf(ended: Omit<Exit, "named">): Exit {
	const named = NAMED.exec(ended.stderr)?.[1];
	return { ...ended, stderr: ended.stderr.replace(NAMED, ""), named };
}

function watch(child: ChildProcess): Program {
	const output = { stdout: "", stderr: "" };
	const waiting = new Set<() => void>();
	for (const name of ["stdout", "stderr"] as const) {
		child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
			output[name] += chunk;
			for (const look of waiting) look();
		});
	}
	const exited = new Promise<Exit>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code, signal) => {
			resolve(exitOf({ code, signal, ...output }));
		});
	});
	const kill = (signal: NodeJS.Signals): void => {
		child.kill(signal);
	};
	return {
		pid: child.pid ?? 0,
		stdout: () => output.stdout,
		stderr: () => output.stderr,
		kill,
		exited,
		printed(pattern, patienceMs = PATIENCE_MS) {
			return new Promise((resolve, reject) => {
				const fail = (why: string): void =>
					reject(new Error(`${why} before it printed ${pattern}:\n${output.stdout}${output.stderr}`));
				const timer = setTimeout(() => fail(`waited ${patienceMs / 1000} s`), patienceMs);
				const look = (): void => {
					const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
					if (match === null) return;
					clearTimeout(timer);
					waiting.delete(look);
					resolve(match);
				};
				waiting.add(look);
				look();
				exited.then(({ code, signal }) => fail(`ended (${code ?? signal})`), reject);
			});
		},
		async end() {
			kill("SIGKILL");
			await exited;
		},
	};
}

/**
 * Free ports outside the range of outgoing connections, so that no connection takes one before the
 * process opens it, and above 10080, the last port that `fetch` and browsers refuse (Fetch standard, "bad port").
 */
export async function freePorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	while (ports.length < count) {
		const port = 10_081 + Math.floor(Math.random() * 20_000);
		if (claim(port) && (await isFree(port))) ports.push(port);
	}
	return ports;
}

/** Ports of earlier calls, which may not have a listener yet. */
const givenPorts = new Set<number>();

/** @returns whether the port is claimed for the whole run, by a file: the processes of other tests may not listen yet, or may restart. */
function claim(port: number): boolean {
	const folder = process.env.TEST_CERTIFICATE_FOLDER;
	if (givenPorts.has(port)) return false;
	givenPorts.add(port);
	if (folder === undefined) return true;
	try {
		writeFileSync(join(folder, `port-${port}`), "", { flag: "wx" });
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
}

function isFree(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once("error", () => resolve(false));
		server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
	});
}

/** Settings of a service with this data directory, two free ports, cheap password hashes, and no rate limit. */
export async function ownSettings(dataDir: string): Promise<Record<string, string>> {
	const [port, httpsPort] = await freePorts(2);
	return {
		LATCHKEY_DATA_DIR: dataDir,
		LATCHKEY_PORT: String(port),
		LATCHKEY_HTTPS_PORT: String(httpsPort),
		LATCHKEY_BCRYPT_COST: "10",
		LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
	};
}
