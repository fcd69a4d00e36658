// Runs an installed server in a separate process on its own ports.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, readFileSync } from "node:fs";
import net from "node:net";
import { delimiter, join } from "node:path";

/** The limit of a start or a stop; either takes well under a second on an idle machine. */
const PATIENCE_MS = 30_000;
/** Folders of servers that are only in the PATH of root. */
const SERVER_FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/sbin"];

export interface ServerProcess {
	readonly pid: number;
	/** Standard output and error so far. */
	output(): string;
	signal(name: NodeJS.Signals): void;
	/** Resolves when the process has exited for any reason. */
	readonly exited: Promise<void>;
	/** Sends SIGTERM, and SIGKILL after 30 s. Safe to call after the exit. */
	end(): Promise<void>;
}

/** The full path of an executable, or undefined. */
export function findProgram(name: string): string | undefined {
	const folders = [...(process.env.PATH ?? "").split(delimiter), ...SERVER_FOLDERS];
	return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** `false`, or the reason to skip tests with these executables. With `CI` set, a missing one is a failure. */
export function skippedWithout(...names: readonly string[]): false | string {
	const missing = names.filter((name) => findProgram(name) === undefined);
	if (process.env.CI !== undefined || missing.length === 0) return false;
	return `no ${missing.join(", no ")} on this machine`;
}

/** Resolves when local port `port` accepts connections. @throws Error with the output when the process exits instead */
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
 * A configuration from deploy/ with replacements.
 *
 * @throws Error when it lacks a text to replace: the test would no longer cover the shipped configuration.
 */
export function deliveredConfig(path: string, changes: readonly (readonly [string, string])[]): string {
	let text = readFileSync(join(import.meta.dirname, "../../../deploy", path), "utf8");
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
