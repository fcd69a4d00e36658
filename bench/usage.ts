// Resource usage of a process, read from outside so that it does not affect the measured process (Linux only).

import { readdirSync, readFileSync } from "node:fs";

/** CPU time of all running threads since their start, in seconds; undefined if it cannot be read. */
export function processorSeconds(pid: number): number | undefined {
	let nanoseconds = 0;
	try {
		for (const thread of readdirSync(`/proc/${pid}/task`))
			nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]);
	} catch {
		return undefined;
	}
	return Number.isNaN(nanoseconds) ? undefined : nanoseconds / 1e9;
}

/** Current and peak resident memory, in bytes. */
export function memoryOf(pid: number): { readonly now: number; readonly highest: number } | undefined {
	const status = read(`/proc/${pid}/status`);
	const kib = (name: string): number =>
		Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status ?? "")?.[1]);
	const [now, highest] = [kib("VmRSS") * 1024, kib("VmHWM") * 1024];
	return Number.isNaN(now) || Number.isNaN(highest) ? undefined : { now, highest };
}

function read(file: string): string | undefined {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
}
