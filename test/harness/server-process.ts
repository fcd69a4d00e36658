// A server program of the system's, run by a test as a process of its own on ports of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, readFileSync } from "node:fs";
import net from "node:net";
import { delimiter, join } from "node:path";

/** Bounds a start and an end; either takes well under a second on a machine that is not busy. */
const PATIENCE_MS = 30_000;
/** Where distributions keep servers, apart from the path of people who are not root. */
const SERVER_FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/sbin"];

export interface ServerProcess {
	readonly pid: number;
	/** Standard output and error so far. */
	output(): string;
	signal(name: NodeJS.Signals): void;
	/** Resolves when the process is gone, however it ended. */
	readonly exited: Promise<void>;
	/** Asks it to end (SIGTERM), and after 30 s kills it. Safe when it has ended. */
	end(): Promise<void>;
}

/** The full path of a program, or undefined. */
export function findProgram(name: string): string | undefined {
	const folders = [...(process.env.PATH ?? "").split(delimiter), ...SERVER_FOLDERS];
	return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** `false`, or why tests with these programs are skipped. Where `CI` is set they are not: a missing one fails there. */
export function skippedWithout(...names: readonly string[]): false | string {
	const missing = names.filter((name) => findProgram(name) === undefined);
	if (process.env.CI !== undefined || missing.length === 0) return false;
	return `no ${missing.join(", no ")} on this machine`;
}

/** @returns when `port` of this machine takes connections. @throws what the program printed when it ends instead. */
export async function startServerProcess(
	name: string,
	args: readonly string[],
	{
		port,
		owner = {},
		env = process.env,
	}: {
		readonly port: number;
		readonly owner?: { readonly uid?: number; readonly gid?: number };
		readonly env?: NodeJS.ProcessEnv;
	},
): Promise<ServerProcess> {
	const program = findProgram(name);
	if (program === undefined) throw new Error(`${name} is not installed`);
	const child = spawn(program, args, { ...owner, env, cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding("utf8").on("data", (chunk: string) => {
			output += chunk;
		});
	const exited = once(child, "exit").then(() => undefined);
	const deadline = performance.now() + PATIENCE_MS;
	while (!(await takesConnections(port))) {
		if (hasEnded(child)) throw new Error(`${name} ended:\n${output}`);
		if (performance.now() > deadline) {
			child.kill("SIGKILL");
			throw new Error(`${name} did not open port ${port}:\n${output}`);
		}
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	return {
		pid: child.pid ?? 0,
		output: () => output,
		signal: (signal) => void child.kill(signal),
		exited,
		async end() {
			if (hasEnded(child)) return;
			child.kill("SIGTERM");
			const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
			await exited;
			clearTimeout(timer);
		},
	};
}

/**
 * A configuration as it is delivered, with some of its text replaced.
 *
 * @throws Error when a text to be replaced is not in it: then the test no longer tests what is delivered.
 */
export function deliveredConfig(path: string, changes: readonly (readonly [string, string])[]): string {
	let text = readFileSync(join(import.meta.dirname, "../../deploy", path), "utf8");
	for (const [from, to] of changes) {
		if (!text.includes(from)) throw new Error(`deploy/${path} has no ${JSON.stringify(from)}`);
		text = text.replaceAll(from, to);
	}
	return text;
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

function hasEnded(child: ChildProcess): boolean {
	return child.exitCode !== null || child.signalCode !== null;
}

function takesConnections(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = net.connect(port, "127.0.0.1");
		socket.once("connect", () => {
			socket.destroy();
			resolve(true);
		});
		socket.once("error", () => resolve(false));
	});
}
