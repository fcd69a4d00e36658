// The real program as a process of its own, for tests of commands, signals and starts.

import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const ENTRY = join(ROOT, "bin/latchkey.js");
const READY = /^latchkey ready (.*)$/m;
/** The first line of every command that works on an installation. */
const NAMED = /^installation: (settings from .+; data folder .+; database .+)\n/;
/** Bounds a hang; a start takes well under a second on a machine that is not busy. */
const PATIENCE_MS = 60_000;

export interface ProgramOptions {
	/** Beside PATH and HOME; nothing else of the test's own environment is passed on. */
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
	/** Standard input, which is closed after it. */
	readonly input?: string | Buffer;
	/** Options of Node itself, before the program. */
	readonly nodeOptions?: readonly string[];
	/** Standard error counts as a terminal, so that progress is printed there. */
	readonly onTerminal?: boolean;
	/** Another entry than the checkout's `bin/latchkey.js`. */
	readonly entry?: string;
	/** Another Node than this one. */
	readonly node?: string;
	/** The user it runs as; default: the user who runs the tests. */
	readonly owner?: { readonly uid: number; readonly gid: number };
}

export interface Exit {
	/** null when a signal ended it. */
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	/** Without the line in which a command names its installation: that is `named`. */
	readonly stderr: string;
	/** `settings from …; data folder …; database …`; undefined for a command that works on none. */
	readonly named: string | undefined;
}

export interface Program {
	readonly pid: number;
	/** So far. */
	stdout(): string;
	stderr(): string;
	kill(signal: NodeJS.Signals): void;
	/** Resolves when the process has ended and its output is complete. */
	readonly exited: Promise<Exit>;
	/** Waits (60 s at most) until the pattern is on standard output or error. */
	printed(pattern: RegExp, patienceMs?: number): Promise<RegExpExecArray>;
	/** Ends it at once, if it still runs. Always call it. */
	end(): Promise<void>;
}

export interface ReadyProgram extends Program {
	/** As the ready line gives them; `""` for a listener that is off. */
	readonly httpUrl: string;
	readonly httpsUrl: string;
}

/** Starts `latchkey <args>` on this Node. */
export function spawnProgram(args: readonly string[], options: ProgramOptions = {}): Program {
	const { env = {}, cwd = ROOT, input, nodeOptions = [], entry = ENTRY, node = process.execPath } = options;
	const terminal = options.onTerminal ? ["--import", "data:text/javascript,process.stderr.isTTY=true"] : [];
	const child = spawn(node, [...terminal, ...nodeOptions, entry, ...args], {
		...options.owner,
		cwd,
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
		stdio: ["pipe", "pipe", "pipe"],
	});
	// A program that never reads its input may be gone before it is written.
	child.stdin.on("error", () => undefined);
	child.stdin.end(input);
	return watch(child);
}

/** Runs a command to its end; one that does not end in 60 s is killed, which `signal` then shows. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<Exit> {
	const program = spawnProgram(args, options);
	const timer = setTimeout(() => program.kill("SIGKILL"), PATIENCE_MS);
	try {
		return await program.exited;
	} finally {
		clearTimeout(timer);
	}
}

/** `latchkey serve`, ready. Throws what it printed when it ends instead. */
export function startProgram(options: ProgramOptions = {}): Promise<ReadyProgram> {
	return whenReady(spawnProgram(["serve"], options));
}

/** The same for one that was spawned already; it is ended when it does not become ready. */
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

/** Takes the line in which a command names its installation out of standard error. */
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
 * Free ports, outside the range the system gives to outgoing connections, so that none is taken before the
 * program opens it.
 */
export async function freePorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	while (ports.length < count) {
		const port = 10_000 + Math.floor(Math.random() * 20_000);
		if (givenPorts.has(port)) continue;
		givenPorts.add(port);
		if (await isFree(port)) ports.push(port);
	}
	return ports;
}

/** Ports of earlier calls: they have no listener yet when the next call searches. */
const givenPorts = new Set<number>();

function isFree(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const server = createServer();
		server.once("error", () => resolve(false));
		server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
	});
}

/** Settings for a service of its own: a data folder, two free ports, cheap password hashes, no rate limit. */
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
