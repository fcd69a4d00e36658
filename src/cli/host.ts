// The parts of the process that a command uses. A test runs a command in its own process with a substitute.

import { Console } from "node:console";
import type { Environment } from "../config/read-settings.ts";

export interface Host {
	readonly env: Environment;
	readonly stdin: AsyncIterable<Buffer>;
	readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
	readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
	exitCode?: number | string | null | undefined;
	on(signal: NodeJS.Signals, listener: () => void): unknown;
	on(event: "uncaughtException", listener: NodeJS.UncaughtExceptionListener): unknown;
}

/** A process runs one command at a time. */
let current: Host = process;
let currentConsole: Pick<Console, "log" | "error"> = console;

export function setHost(host: Host): void {
	current = host;
	currentConsole = host === process ? console : new Console(host.stdout, host.stderr);
}

/** The host of the running command. */
export function host(): Host {
	return current;
}

/** Writes lines to standard output and standard error of the host. */
export function hostConsole(): Pick<Console, "log" | "error"> {
	return currentConsole;
}
