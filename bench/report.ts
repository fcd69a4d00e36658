// The result of a run, as a table and as JSON.

import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import type { Scenario } from "./measure.ts";
import { type MixedReport, mixedLines } from "./mixed.ts";
import type { Processors } from "./processors.ts";
import { type Compared, median, type Round } from "./rounds.ts";
import type { StartReport, Starts } from "./starts.ts";

/** The goals, in seconds and bytes. */
const WARM_GOAL_SECONDS = 0.25;
const COLD_GOAL_SECONDS = 0.35;
/** Relative to Node.js alone. */
const CHECKOUT_GOAL_TIMES = 8;
const COMPILED_GOAL_TIMES = 4;
const REST_GOAL_BYTES = 130e6;
const MEMORY_GOAL_BYTES = 180e6;

export interface Report {
	readonly machine: Machine;
	readonly scenarios: readonly ScenarioReport[];
	readonly starts: StartReport | undefined;
	/** One for each engine. */
	readonly mixed: readonly MixedReport[];
	/** Memory of the service after all scenarios; undefined without a scenario, and if it cannot be read. */
	readonly memory: { readonly now: number; readonly highest: number } | undefined;
	/** Seconds of each part. */
	readonly took: Readonly<Record<string, number>>;
}

export type ScenarioReport = Pick<Scenario, "name" | "title" | "comparedWith" | "goal" | "processorGoal"> &
	Compared & {
		/** Resident memory of the shared service after the scenario, in bytes; undefined if it cannot be read. */
		readonly memoryBytes?: number | undefined;
	};

interface Machine {
	readonly at: string;
	readonly processor: string;
	readonly processors: number;
	readonly memoryBytes: number;
	/** Load average of the last minute. */
	readonly load: number;
	readonly platform: string;
	readonly node: string;
	/** The CPU of each side; `null` if they cannot be bound. */
	readonly boundTo: { readonly server: string | null; readonly load: string | null };
}

export function describeMachine({ server, load }: Processors): Machine {
	return {
		at: new Date().toISOString(),
		processor: cpus()[0]?.model ?? "unknown",
		processors: availableParallelism(),
		memoryBytes: totalmem(),
		load: loadavg()[0] ?? Number.NaN,
		platform: `${process.platform} ${process.arch}`,
		node: process.version,
		boundTo: { server: server ?? null, load: load ?? null },
	};
}

const COLUMNS = ["requests/s", "p50 ms", "p99 ms", "CPU µs", "generator"];

export function table({ machine, scenarios, starts, mixed, memory, took }: Report): string {
	const { boundTo } = machine;
	const lines = [
		`${machine.processor}, ${machine.processors} processors, ${Math.round(machine.memoryBytes / 1e9)} GB, ${machine.platform}, Node ${machine.node}`,
		`load average at the start of the run: ${machine.load.toFixed(1)}`,
		boundTo.server === null
			? "server and load generator share all CPUs: binding requires Linux, taskset and two CPUs"
			: `server on CPU ${boundTo.server}, load generator on CPU ${boundTo.load}`,
		"",
	];
	if (scenarios.length > 0)
		lines.push(`${"".padEnd(54)}${COLUMNS.map((name) => name.padStart(11)).join("")}`);
	lines.push(...scenarios.flatMap(scenarioLines));
	if (starts !== undefined) lines.push(...startLines(starts));
	lines.push(...mixedLines(mixed));
	if (memory !== undefined) {
		const isSmall = memory.now < MEMORY_GOAL_BYTES;
		lines.push(
			`memory after load ${megabytes(memory.now)}${goalText(isSmall, `< ${megabytes(MEMORY_GOAL_BYTES)}`)}; highest ${megabytes(memory.highest)}`,
		);
	}
	const parts = Object.entries(took).map(([part, seconds]) => `${part} ${Math.round(seconds)}`);
	const all = Object.values(took).reduce((sum, seconds) => sum + seconds, 0);
	lines.push(`seconds by part: ${parts.join(", ")}; ${Math.round(all)} in all`);
	return lines.join("\n");
}

/** A start as a multiple of Node.js alone. */
function timesAlone(title: string, starts: Starts, { alone }: StartReport, goal: number): string {
	const times = (measure: "seconds" | "processorSeconds"): number[] =>
		starts[measure].map((value, index) => value / (alone[measure][index] ?? Number.NaN));
	const isQuick = median(times("seconds")) <= goal;
	return (
		`${title}: ${shown(times("seconds"), 1)} times Node.js alone${goalText(isQuick, `≤ ${goal}`)}, ` +
		`by CPU time ${shown(times("processorSeconds"), 1)}`
	);
}

function startLines(starts: StartReport): string[] {
	const { firstSeconds, warm, cold, compiled, alone } = starts;
	const line = (title: string, starts: Starts, goalSeconds: number): string => {
		const isQuick = median(starts.seconds) < goalSeconds;
		return (
			`${title}: ready after ${shown(starts.seconds, 2)} s${goalText(isQuick, `< ${goalSeconds} s`)}, ` +
			`CPU time ${shown(starts.processorSeconds, 2)} s`
		);
	};
	const restBytes = median(warm.restBytes);
	return [
		line("warm start", warm, WARM_GOAL_SECONDS),
		line("cold start, without the compile cache", cold, COLD_GOAL_SECONDS),
		line("warm start of the compiled program", compiled, WARM_GOAL_SECONDS),
		`Node.js alone: ${shown(alone.seconds, 2)} s, CPU time ${shown(alone.processorSeconds, 3)} s`,
		timesAlone("warm start", warm, starts, CHECKOUT_GOAL_TIMES),
		timesAlone("warm start of the compiled program", compiled, starts, COMPILED_GOAL_TIMES),
		`first start: ready after ${firstSeconds.toFixed(2)} s`,
		`memory at rest ${megabytes(restBytes)}${goalText(restBytes < REST_GOAL_BYTES, `< ${megabytes(REST_GOAL_BYTES)}`)}`,
	];
}

/** The median, the minimum and the maximum: `0.58 (0.55–0.61)`. */
export function shown(values: readonly number[], digits: number): string {
	const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
	return `${median(values).toFixed(digits)} (${least}–${most})`;
}

/** The two sides of a scenario and their results. */
export function scenarioLines(scenario: ScenarioReport): string[] {
	const { ratios, processorRatios, goal, processorGoal, memoryBytes } = scenario;
	const isReached = median(ratios) >= (goal ?? 0);
	return [
		row(scenario.title, scenario.measured),
		row(`  against ${scenario.comparedWith}`, scenario.comparison),
		`  ratio ${shown(ratios, 2)}${goalText(isReached, goal === undefined ? undefined : `≥ ${goal}`)}` +
			(processorRatios.length === 0 ? "" : `; by CPU time per request ${shown(processorRatios, 2)}`) +
			(processorGoal === undefined ? "" : timesText(processorRatios, processorGoal)) +
			(memoryBytes === undefined ? "" : `; memory of the service ${megabytes(memoryBytes)}`),
		"",
	];
}

/** The CPU time per request as a multiple of that of the comparison. */
function timesText(processorRatios: readonly number[], goal: number): string {
	const times = processorRatios.map((ratio) => 1 / ratio);
	return `, ${shown(times, 2)} times as much${goalText(median(times) <= goal, `≤ ${goal}`)}`;
}

function row(title: string, round: Round): string {
	const { perSecond, p50Ms, p99Ms, processorMicros, generatorShare } = round;
	const cells = [
		perSecond.toLocaleString("en-US", { maximumFractionDigits: perSecond < 100 ? 2 : 0 }),
		p50Ms?.toFixed(p50Ms < 100 ? 2 : 0),
		p99Ms?.toFixed(p99Ms < 100 ? 2 : 0),
		processorMicros?.toFixed(processorMicros < 1000 ? 1 : 0),
		generatorShare === undefined ? undefined : `${Math.round(generatorShare * 100)} %`,
	];
	return `${title.padEnd(54)}${cells.map((cell) => (cell ?? "–").padStart(11)).join("")}`;
}

function goalText(isReached: boolean, goal: string | undefined): string {
	return goal === undefined ? "" : ` (aim ${goal}${isReached ? "" : ", MISSED"})`;
}

function megabytes(bytes: number): string {
	return `${Math.round(bytes / 1e6)} MB`;
}
