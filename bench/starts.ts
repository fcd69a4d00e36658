// Times startup: the first start in a data directory, and later starts with and without the compile cache.

import type { Processors } from "./processors.ts";
import { median } from "./rounds.ts";
import { startService } from "./service.ts";
import { memoryOf, processorSeconds } from "./usage.ts";

const STARTS = 7;
/** By then, background work of the start, such as building the search index, is complete. */
const REST_MS = 2_000;

/** Seconds from process start to the ready line, and CPU time of all threads. */
export interface Starts {
	readonly seconds: readonly number[];
	readonly processorSeconds: readonly number[];
	/** Resident memory in bytes before the first request. */
	readonly restBytes: readonly number[];
}

export interface StartReport {
	readonly firstSeconds: number;
	readonly warm: Starts;
	readonly cold: Starts;
}

/** Uses the default settings, without metrics. Alternates warm and cold starts. */
export async function timeStarts(folder: string, { server }: Processors): Promise<StartReport> {
	const warm = noStarts();
	const cold = noStarts();
	const first = noStarts();
	await start(first, {});
	for (let number = 0; number < STARTS; number++) {
		await start(warm, {});
		await start(cold, { NODE_DISABLE_COMPILE_CACHE: "1" });
	}
	return { firstSeconds: median(first.seconds), warm, cold };

	async function start(
		into: ReturnType<typeof noStarts>,
		env: Readonly<Record<string, string>>,
	): Promise<void> {
		const service = await startService(folder, server, { LATCHKEY_METRICS_PORT: "0", ...env });
		into.seconds.push(service.readySeconds);
		into.processorSeconds.push(processorSeconds(service.pid) ?? Number.NaN);
		await new Promise((resolve) => setTimeout(resolve, REST_MS));
		into.restBytes.push(memoryOf(service.pid)?.now ?? Number.NaN);
		await service.stop();
	}
}

function noStarts() {
	return { seconds: [] as number[], processorSeconds: [] as number[], restBytes: [] as number[] };
}
