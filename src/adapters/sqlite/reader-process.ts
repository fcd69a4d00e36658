// A child process that reads an embedded database. Only the end of its process interrupts a statement of SQLite, so in a
// thread of the service a long one would delay a stop.

import { type ChildProcess, fork } from "node:child_process";

/**
 * Runs a program of this folder with the database file as its argument, and without the environment and the Node.js options of
 * the service, which may name a file of secrets. It ends with
 * this process.
 *
 * @param name of the module, without its extension, which differs between a package and the source
 */
export function startReader(name: string, file: string): ChildProcess {
	const program = new URL(`./${name}${import.meta.url.slice(-3)}`, import.meta.url);
	const child = fork(program, [file], { env: {}, execArgv: [], serialization: "advanced" });
	// A process that could not start reports an error, and no exit.
	if (child.pid === undefined) return child;
	const kill = (): boolean => child.kill("SIGKILL");
	process.once("exit", kill);
	child.once("exit", () => process.off("exit", kill));
	return child;
}

/** Call in the child: signals to the process group are for the service, which first answers what it has begun. */
export function ignoreSignals(): void {
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const)
		process.on(signal, () => undefined);
}
