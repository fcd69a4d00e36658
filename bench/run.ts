// `npm run bench [-- PART…]`: compares the service with bare Node.js that returns the same bytes; see
// docs/benchmarks.md.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startNode } from "./children.ts";
import type { Scenario } from "./measure.ts";
import { measureMixed } from "./mixed.ts";
import { populate } from "./people.ts";
import { findProcessors, type Processors } from "./processors.ts";
import { progress } from "./progress.ts";
import { describeMachine, type Report, type ScenarioReport, table } from "./report.ts";
import { SCENARIOS } from "./scenarios.ts";
import { startService } from "./service.ts";
import { type StartReport, timeStarts } from "./starts.ts";
import { memoryOf } from "./usage.ts";

/** Aborts a run that hangs. */
const LIMIT_MS = 1_200_000;
/** The part that times startup; the others are scenarios. */
const STARTS = "start";
/** The part that mixes all kinds of requests. */
const MIXED = "mixed";
/** The mixed load takes as long as so many rounds: by default 30 seconds, with 30 requests of the rarest kind. */
const MIXED_ROUNDS = 24;

interface Options {
	/** Writes the results of every round to this JSON file. */
	readonly json: string | undefined;
	readonly scenarios: readonly Scenario[];
	readonly timesStarts: boolean;
	readonly mixes: boolean;
	readonly rounds: number;
	readonly seconds: number;
}

const options = tryToReadOptions();
setTimeout(() => fail(new Error(`the run took longer than ${LIMIT_MS / 1000} s`)), LIMIT_MS).unref();
const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
try {
	const report = await run(options, findProcessors());
	console.log(table(report));
	if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, "\t")}\n`);
	process.exit(0);
} catch (error) {
	fail(error);
}

async function run(
	{ scenarios, timesStarts, mixes, rounds, seconds }: Options,
	processors: Processors,
): Promise<Report> {
	const machine = describeMachine(processors);
	const took: Record<string, number> = {};
	const timed = async <T>(part: string, work: () => Promise<T>): Promise<T> => {
		const startedAt = performance.now();
		const result = await work();
		took[part] = (took[part] ?? 0) + (performance.now() - startedAt) / 1_000;
		return result;
	};
	const starts = timesStarts ? await timed(STARTS, () => measureStarts(processors)) : undefined;
	const mix = () => measureMixed(newFolder, processors, seconds * MIXED_ROUNDS);
	const mixed = mixes ? await timed(MIXED, mix) : [];
	if (scenarios.length === 0) return { machine, scenarios: [], starts, mixed, memory: undefined, took };
	progress("people and an API client");
	const service = await startService(newFolder("service"), processors.server);
	const start = (): ReturnType<typeof startNode> =>
		startNode("bench/load-generator.ts", [], { processors: processors.load, responses: true });
	const bench = {
		processors,
		processorCount: processors.server === undefined ? availableParallelism() : 1,
		service,
		population: await populate(service),
		generator: start(),
		stormGenerator: start(),
		newFolder,
		rounds,
		seconds,
	};
	const done: ScenarioReport[] = [];
	for (const scenario of scenarios) {
		progress(scenario.title);
		const { name, title, comparedWith, goal, processorGoal } = scenario;
		const compared = await timed(name, () => scenario.run(bench));
		const memoryBytes = memoryOf(service.pid)?.now;
		done.push({
			name,
			title,
			comparedWith,
			goal,
			...(processorGoal !== undefined && { processorGoal }),
			...compared,
			memoryBytes,
		});
	}
	const memory = memoryOf(service.pid);
	await service.stop();
	return { machine, scenarios: done, starts, mixed, memory, took };
}

function measureStarts(processors: Processors): Promise<StartReport> {
	progress("starts");
	return timeStarts(newFolder("starts"), processors);
}

function newFolder(name: string): string {
	const path = join(folder, name);
	mkdirSync(path);
	return path;
}

function tryToReadOptions(): Options {
	try {
		return readOptions();
	} catch (error) {
		return fail(error);
	}
}

/** @throws Error for unknown options and parts. */
function readOptions(): Options {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			json: { type: "string" },
			rounds: { type: "string", default: "5" },
			seconds: { type: "string", default: "1.25" },
		},
	});
	const names = [STARTS, MIXED, ...new Set(SCENARIOS.map(({ name }) => name))];
	const unknown = positionals.find((name) => !names.includes(name));
	if (unknown !== undefined) throw new Error(`unknown part ${unknown}; the parts are ${names.join(", ")}`);
	const isChosen = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
	return {
		json: values.json,
		scenarios: SCENARIOS.filter(({ name }) => isChosen(name)),
		timesStarts: isChosen(STARTS),
		mixes: isChosen(MIXED),
		rounds: Number(values.rounds),
		seconds: Number(values.seconds),
	};
}

/** A wrong response fails the run instead of counting as slow. */
function fail(error: unknown): never {
	console.error(`the benchmark failed: ${error instanceof Error ? error.message : String(error)}`);
	process.exit(1);
}
