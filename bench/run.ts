// `npm run bench`: measures the service against bare Node with the same bytes; see docs/benchmarks.md.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startNode } from "./children.ts";
import { populate } from "./people.ts";
import { findProcessors, type Processors } from "./processors.ts";
import { describeMachine, type Report, type ScenarioReport, table } from "./report.ts";
import { median } from "./rounds.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { startService } from "./service.ts";
import { memoryOf } from "./usage.ts";

/** Limit of a run that hangs. */
const LIMIT_MS = 600_000;
const STARTS = 7;

interface Options {
	/** The file for the figures as JSON, with each round. */
	readonly json: string | undefined;
	readonly scenarios: readonly Scenario[];
	readonly rounds: number;
	readonly seconds: number;
}

const options = readOptions();
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

async function run({ scenarios, rounds, seconds }: Options, processors: Processors): Promise<Report> {
	const ready = await timeStarts(processors);
	progress("people and an API client");
	const dataDir = newFolder("service");
	const service = await startService(dataDir, processors.server);
	const start = (): ReturnType<typeof startNode> =>
		startNode("bench/load-generator.ts", [], { processors: processors.load, answers: true });
	const bench = {
		processors,
		processorCount: processors.server === undefined ? availableParallelism() : 1,
		service,
		population: await populate(service),
		generator: start(),
		stormGenerator: start(),
		rounds,
		seconds,
	};
	const done: ScenarioReport[] = [];
	for (const scenario of scenarios) {
		progress(scenario.title);
		const { name, title, comparedWith, goal } = scenario;
		done.push({ name, title, comparedWith, goal, ...(await scenario.run(bench)) });
	}
	const memory = memoryOf(service.pid);
	await service.stop();
	return { machine: describeMachine(processors), scenarios: done, ready, memory };
}

/** The first start creates the installation; operators wait for the later ones. */
async function timeStarts({ server }: Processors): Promise<Report["ready"]> {
	progress("starts");
	const dataDir = newFolder("starts");
	const seconds: number[] = [];
	for (let number = 0; number <= STARTS; number++) {
		const service = await startService(dataDir, server);
		seconds.push(service.readySeconds);
		await service.stop();
	}
	const [firstSeconds = Number.NaN, ...later] = seconds;
	return { firstSeconds, medianSeconds: median(later), seconds: later };
}

function newFolder(name: string): string {
	const path = join(folder, name);
	mkdirSync(path);
	return path;
}

function readOptions(): Options {
	const { values } = parseArgs({
		options: {
			json: { type: "string" },
			only: { type: "string", multiple: true },
			rounds: { type: "string", default: "5" },
			seconds: { type: "string", default: "2.5" },
		},
	});
	const scenarios = SCENARIOS.filter(({ name }) => values.only?.includes(name) ?? true);
	return { json: values.json, scenarios, rounds: Number(values.rounds), seconds: Number(values.seconds) };
}

function progress(what: string): void {
	console.error(`measuring: ${what}`);
}

/** Fails the run for a wrong answer instead of counting it as slow. */
function fail(error: unknown): never {
	console.error(`the benchmark failed: ${error instanceof Error ? error.message : String(error)}`);
	process.exit(1);
}
