// Measures a scenario: rounds of prepared requests against the service and against its baseline.

import type { ChildProcess } from "node:child_process";
import type { BareTask } from "./bare-server.ts";
import { ask, startNode, stopChild } from "./children.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import type { Population } from "./people.ts";
import type { Processors } from "./processors.ts";
import type { Plan } from "./requests.ts";
import { type Compared, compare, type Round } from "./rounds.ts";
import { sampleResponse } from "./sample.ts";
import type { RunningService } from "./service.ts";

export interface Bench {
	readonly processors: Processors;
	/** CPUs of the service while only the load generator runs beside it. */
	readonly processorCount: number;
	readonly service: RunningService;
	readonly population: Population;
	readonly generator: ChildProcess;
	/** Signs users in during reads. */
	readonly stormGenerator: ChildProcess;
	/** A data directory for a scenario that starts its own service. */
	newFolder(name: string): string;
	readonly rounds: number;
	readonly seconds: number;
}

export interface Scenario {
	readonly name: string;
	readonly title: string;
	readonly comparedWith: string;
	/** The goal: the minimum ratio of requests per second. */
	readonly goal: number | undefined;
	/** A goal by CPU time: the maximum per request, as a multiple of that of the comparison. */
	readonly processorGoal?: number;
	run(bench: Bench): Promise<Compared>;
}

const CONNECTIONS = 32;
/** Of sign-ins: a slow machine queues fewer hashes than CONNECTIONS, and refuses the rest. */
const SIGN_IN_CONNECTIONS = 16;
/** Number of requests to prepare for a round of unknown speed; a round ends early when it has sent all of them. */
const FIRST_COUNT = 30_000;

/** Compares with node:http, or node:https with `tls`, that returns the same bytes. */
export async function overHttp(
	bench: Bench,
	plan: Plan,
	work: BareTask["work"],
	tls?: Load["tls"],
): Promise<Compared> {
	const { processors, service } = bench;
	const response = await sampleResponse(service.port, plan);
	const bare = startNode("bench/bare-server.ts", [], { processors: processors.server, responses: true });
	const task: BareTask = {
		response,
		work,
		...(plan.kind === "signed" ? { credentials: plan.credentials } : {}),
		isSecure: tls !== undefined,
	};
	const { port } = await ask<{ port: number }>(bare, task, 10_000);
	const ours = tls === undefined ? service.port : service.httpsPort;
	const measure = loader(bench, plan, { port: ours, pid: service.pid, tls });
	const compareWith = loader(bench, plan, { port, pid: bare.pid as number, tls });
	try {
		return await compare(
			bench.rounds,
			() => alone(measure, bare),
			() => alone(compareWith, service.child),
		);
	} finally {
		await stopChild(bare);
	}
}

/** Pauses the other server, so that its background work does not use the CPU. */
export async function alone(round: () => Promise<Round>, other: Pick<ChildProcess, "kill">): Promise<Round> {
	const canPause = process.platform !== "win32";
	if (canPause) other.kill("SIGSTOP");
	try {
		return await round();
	} finally {
		if (canPause) other.kill("SIGCONT");
	}
}

/** Runs rounds of one plan against one server. Each prepares enough requests for the fastest round so far. */
export function loader(
	bench: Pick<Bench, "generator" | "seconds">,
	plan: Plan,
	{ port, pid, tls }: Pick<Load, "port" | "pid" | "tls">,
): () => Promise<Round> {
	let count = FIRST_COUNT;
	return async () => {
		const load: Load = {
			plan,
			port,
			pid,
			tls,
			connections: connectionsOf(plan),
			count,
			seconds: bench.seconds,
		};
		const round = toRound(await ask<LoadResult>(bench.generator, load, 60_000));
		count = Math.max(count, Math.ceil(round.perSecond * bench.seconds * 1.3));
		return round;
	};
}

export function connectionsOf({ kind }: Plan): number {
	return kind === "login" ? SIGN_IN_CONNECTIONS : CONNECTIONS;
}

export function toRound({
	requests,
	seconds,
	p50Ms,
	p99Ms,
	serverSeconds,
	generatorSeconds,
}: LoadResult): Round {
	return {
		perSecond: requests / seconds,
		p50Ms,
		p99Ms,
		...(serverSeconds === undefined ? {} : { processorMicros: (serverSeconds / requests) * 1e6 }),
		generatorShare: generatorSeconds / seconds,
		requests,
		seconds,
	};
}
