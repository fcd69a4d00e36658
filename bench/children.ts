// The child processes of a run: bound to a CPU, controlled by messages, and stopped with the run.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { boundTo } from "./processors.ts";

const STOP_LIMIT_MS = 15_000;

const running = new Set<ChildProcess>();
process.on("exit", () => {
	for (const child of running) child.kill("SIGKILL");
});

export interface StartOptions {
	readonly processors: string | undefined;
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
	/** A file descriptor for standard error. Default: the terminal. */
	readonly errors?: number;
	/** Whether it accepts messages. */
	readonly responses: boolean;
}

/** Runs Node on a file (absolute, or from the root of the repository). The caller reads standard output. */
export function startNode(
	file: string,
	parameters: readonly string[],
	{ processors, env, cwd, errors, responses }: StartOptions,
): ChildProcess {
	const path = resolve(import.meta.dirname, "..", file);
	const child = spawn(...boundTo(processors, [process.execPath, path, ...parameters]), {
		...(cwd === undefined ? {} : { cwd }),
		env: { ...process.env, ...env },
		stdio: ["ignore", "pipe", errors ?? "inherit", ...(responses ? ["ipc" as const] : [])],
	});
	running.add(child);
	child.once("exit", () => running.delete(child));
	return child;
}

/** Sends a message to a child and returns its reply. @throws if it exits, fails, or takes longer than `limitMs`. */
export function ask<EndpointResponse>(
	child: ChildProcess,
	question: object,
	limitMs: number,
): Promise<EndpointResponse> {
	return new Promise((resolve, reject) => {
		const finish = (error: Error | undefined, response?: unknown): void => {
			clearTimeout(timer);
			child.off("message", onMessage);
			child.off("exit", onExit);
			if (error === undefined) resolve(response as EndpointResponse);
			else reject(error);
		};
		const onMessage = (message: { readonly error?: string }): void =>
			finish(message.error === undefined ? undefined : new Error(message.error), message);
		const onExit = (code: number | null): void => finish(new Error(`a process of the run ended (${code})`));
		const timer = setTimeout(() => finish(new Error(`no response within ${limitMs} ms`)), limitMs);
		child.on("message", onMessage);
		child.on("exit", onExit);
		child.send(question, (error) => error !== null && finish(error));
	});
}

/** Stops all running children in reverse order of their start. */
export async function stopChildren(): Promise<void> {
	for (const child of [...running].reverse()) await stopChild(child);
}

/** Sends SIGTERM, then SIGKILL if it has no effect. */
export async function stopChild(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const ended = once(child, "exit");
	child.kill("SIGTERM");
	const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
	await ended;
	clearTimeout(timer);
}
