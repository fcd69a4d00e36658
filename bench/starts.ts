// Times startup: the first start in a data directory, and later starts with and without the compile cache.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { boundTo, type Processors } from "./processors.ts";
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
	/** Of the compiled program, as in the package and the image. */
	readonly compiled: Starts;
	/** Of Node.js with an empty program. */
	readonly alone: Pick<Starts, "seconds" | "processorSeconds">;
}

const ROOT = join(import.meta.dirname, "..");
/** As `bin/latchkey` and the image start the service. */
const LIMIT = { NODE_OPTIONS: "--max-semi-space-size=8" };

/** Uses the default settings, without metrics. Alternates warm and cold starts. */
export async function timeStarts(folder: string, { server }: Processors): Promise<StartReport> {
	const warm = noStarts();
	const cold = noStarts();
	const first = noStarts();
	const compiled = noStarts();
	const alone = noStarts();
	const program = compile(folder);
	await start(first, {});
	await start(noStarts(), {}, program);
	for (let number = 0; number < STARTS; number++) {
		startAlone(alone, server);
		await start(warm, {});
		await start(cold, { NODE_DISABLE_COMPILE_CACHE: "1" });
		await start(compiled, {}, program);
	}
	return { firstSeconds: median(first.seconds), warm, cold, compiled, alone };

	async function start(
		into: ReturnType<typeof noStarts>,
		env: Readonly<Record<string, string>>,
		entry?: string,
	): Promise<void> {
		const settings = { ...LIMIT, LATCHKEY_METRICS_PORT: "0", ...env };
		const service = await startService(folder, server, settings, entry);
		into.seconds.push(service.readySeconds);
		into.processorSeconds.push(processorSeconds(service.pid) ?? Number.NaN);
		await new Promise((resolve) => setTimeout(resolve, REST_MS));
		into.restBytes.push(memoryOf(service.pid)?.now ?? Number.NaN);
		await service.stop();
	}
}

function startAlone(into: ReturnType<typeof noStarts>, server: string | undefined): void {
	const usage = "const { user, system } = process.cpuUsage(); process.stdout.write(String(user + system))";
	const startedAt = performance.now();
	const { stdout } = spawnSync(...boundTo(server, [process.execPath, "--eval", usage]));
	into.seconds.push((performance.now() - startedAt) / 1000);
	into.processorSeconds.push(Number(stdout) / 1e6);
}

/** Lays the compiled program out as the package does. @returns its entry */
function compile(folder: string): string {
	const { status } = spawnSync(process.execPath, ["scripts/build.ts"], { cwd: ROOT, stdio: "inherit" });
	if (status !== 0) throw new Error("the program could not be compiled");
	const program = join(folder, "program");
	mkdirSync(program);
	for (const name of ["bin", "dist", "docs", "package.json", "build/pages", "build/packages"])
		if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(program, name), { recursive: true });
	symlinkSync(join(ROOT, "node_modules"), join(program, "node_modules"));
	return join(program, "bin/latchkey.js");
}

function noStarts() {
	return { seconds: [] as number[], processorSeconds: [] as number[], restBytes: [] as number[] };
}
