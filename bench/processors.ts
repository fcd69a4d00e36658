// Binds the server to one CPU and the load generator to another, so that they do not compete.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Lists for `taskset -c`; undefined if processes cannot be bound to CPUs. */
export interface Processors {
	readonly server: string | undefined;
	readonly load: string | undefined;
	readonly both: string | undefined;
}

/** The first two CPUs that this process may use. Requires Linux, `taskset` and two CPUs. */
export function findProcessors(): Processors {
	const [server, load] = allowed().map(String);
	if (server === undefined || load === undefined || spawnSync("taskset", ["--version"]).status !== 0)
		return { server: undefined, load: undefined, both: undefined };
	return { server, load, both: `${server},${load}` };
}

/** The command line that runs on these CPUs. */
export function boundTo(
	processors: string | undefined,
	command: readonly [string, ...string[]],
): [string, string[]] {
	const [file, ...parameters] = command;
	return processors === undefined ? [file, parameters] : ["taskset", ["-c", processors, ...command]];
}

/** Moves a running process with all its threads. */
export function moveTo(processors: string | undefined, pid: number): void {
	if (processors === undefined) return;
	const { status } = spawnSync("taskset", ["-a", "-c", "-p", processors, String(pid)]);
	if (status !== 0) throw new Error(`process ${pid} could not be moved to CPU ${processors}`);
}

function allowed(): number[] {
	let status: string;
	try {
		status = readFileSync("/proc/self/status", "utf8");
	} catch {
		return [];
	}
	const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? "";
	return list.split(",").flatMap((range) => {
		const [from = Number.NaN, to = from] = range.split("-").map(Number);
		return Array.from({ length: to - from + 1 || 0 }, (_, index) => from + index);
	});
}
