// The result of a run, as a table and as JSON.

import { availableParallelism, cpus, totalmem } from "node:os";
import type { Processors } from "./processors.ts";
import type { Compared, Round } from "./rounds.ts";
import type { Scenario } from "./scenarios.ts";

/** The aims, in seconds and bytes. */
export const READY_GOAL_SECONDS = 0.6;
export const MEMORY_GOAL_BYTES = 180e6;

export interface Report {
	readonly machine: Machine;
	readonly scenarios: readonly ScenarioReport[];
	readonly ready: {
		readonly firstSeconds: number;
		readonly medianSeconds: number;
		readonly seconds: readonly number[];
	};
	/** Of the service's process after the whole load; undefined where it cannot be read. */
	readonly memory: { readonly now: number; readonly highest: number } | undefined;
}

export type ScenarioReport = Pick<Scenario, "name" | "title" | "comparedWith" | "goal"> & Compared;

interface Machine {
	readonly at: string;
	readonly processor: string;
	readonly processors: number;
	readonly memoryBytes: number;
	readonly platform: string;
	readonly node: string;
	/** The processor of each side; `null` where they cannot be bound. */
	readonly boundTo: { readonly server: string | null; readonly load: string | null };
}

export function describeMachine({ server, load }: Processors): Machine {
	return {
		at: new Date().toISOString(),
		processor: cpus()[0]?.model ?? "unknown",
		processors: availableParallelism(),
		memoryBytes: totalmem(),
		platform: `${process.platform} ${process.arch}`,
		node: process.version,
		boundTo: { server: server ?? null, load: load ?? null },
	};
}

const COLUMNS = ["requests/s", "p50 ms", "p99 ms", "CPU µs", "generator"];

export function table({ machine, scenarios, ready, memory }: Report): string {
	const { boundTo } = machine;
	const lines = [
		`${machine.processor}, ${machine.processors} processors, ${Math.round(machine.memoryBytes / 1e9)} GB, ${machine.platform}, Node ${machine.node}`,
		boundTo.server === null
			? "server and load generator share all processors: they could not be bound (needs Linux, taskset and two processors)"
			: `server on processor ${boundTo.server}, load generator on processor ${boundTo.load}`,
		"",
		`${"".padEnd(54)}${COLUMNS.map((name) => name.padStart(11)).join("")}`,
	];
	lines.push(...scenarios.flatMap(scenarioLines));
	const { medianSeconds, firstSeconds } = ready;
	const isQuick = medianSeconds < READY_GOAL_SECONDS;
	lines.push(
		`ready after ${medianSeconds.toFixed(2)} s${goalText(isQuick, `< ${READY_GOAL_SECONDS} s`)}; first start ${firstSeconds.toFixed(2)} s`,
	);
	if (memory !== undefined) {
		const isSmall = memory.now < MEMORY_GOAL_BYTES;
		lines.push(
			`memory after load ${megabytes(memory.now)}${goalText(isSmall, `< ${megabytes(MEMORY_GOAL_BYTES)}`)}; highest ${megabytes(memory.highest)}`,
		);
	}
	return lines.join("\n");
}

/** The two sides of a scenario and their results. */
export function scenarioLines(scenario: ScenarioReport): string[] {
	const { ratio, processorRatio, goal } = scenario;
	return [
		row(scenario.title, scenario.measured),
		row(`  against ${scenario.comparedWith}`, scenario.comparison),
		`  ratio ${ratio.toFixed(2)}${goalText(ratio >= (goal ?? 0), goal === undefined ? undefined : `≥ ${goal}`)}` +
			(processorRatio === undefined ? "" : `; by processor time a request ${processorRatio.toFixed(2)}`),
		"",
	];
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
