// `node bench/pooler.ts`: the processor time of PostgreSQL for a request through pgbouncer in transaction mode, compared
// with direct connections. Requires the programs of PostgreSQL and pgbouncer.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPgbouncer } from "../test/harness/databases/pgbouncer.ts";
import { ask, startNode, stopChildren } from "./children.ts";
import { startBenchServer } from "./database-server.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import { populate } from "./people.ts";
import { scenarioLines } from "./report.ts";
import type { Plan } from "./requests.ts";
import { compare, type Round } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";

const CONNECTIONS = 32;
/** At most this multiple of the processor time over direct connections. */
const PROCESSOR_GOAL = 1.3;

const { values: options } = parseArgs({
	options: { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "2" } },
});
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)];
const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const server = await startBenchServer();
const { url } = server.postgres;
const pgbouncer = await startPgbouncer(url);
try {
	await measure();
} finally {
	await stopChildren();
	await pgbouncer.remove();
	await server.remove();
}
process.exit(0);

async function measure(): Promise<void> {
	const key = randomBytes(32).toString("base64");
	const direct = await start("direct", url, key);
	const pooled = await start("pooled", pgbouncer.url, key);
	const generator = startNode("bench/load-generator.ts", [], { processors: undefined, responses: true });
	const { client, userId, tokens } = await populate(direct);
	const plans: [string, Plan][] = [
		["POST /api/v1/external/users/check-access, signed", { kind: "signed", credentials: client, userId }],
		["GET /api/v1/users/me", { kind: "me", tokens }],
	];
	for (const [title, plan] of plans) {
		const compared = await compare(
			rounds,
			() => round(pooled, plan, generator),
			() => round(direct, plan, generator),
		);
		const comparedWith = "direct connections; CPU µs of PostgreSQL";
		const goals = { goal: undefined, processorGoal: PROCESSOR_GOAL };
		const scenario = { name: plan.kind, title: `${title}, pgbouncer`, comparedWith, ...goals, ...compared };
		console.log(scenarioLines(scenario).join("\n"));
	}
}

function start(name: string, url: string, key: string): Promise<RunningService> {
	const dataDir = join(folder, name);
	mkdirSync(dataDir);
	return startService(dataDir, undefined, {
		LATCHKEY_DATABASE_URL: url,
		LATCHKEY_MASTER_KEY: key,
		LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000000",
		LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "1000000",
	});
}

async function round({ port, pid }: RunningService, plan: Plan, generator: ChildProcess): Promise<Round> {
	const load: Load = { plan, port, pid, connections: CONNECTIONS, count: 30_000 * seconds, seconds };
	const before = (await server.use()).processorSeconds;
	const result = await ask<LoadResult>(generator, load, 60_000);
	const { requests, seconds: took, p50Ms, p99Ms, generatorSeconds } = result;
	return {
		perSecond: requests / took,
		p50Ms,
		p99Ms,
		processorMicros: (((await server.use()).processorSeconds - before) / requests) * 1e6,
		generatorShare: generatorSeconds / took,
		requests,
		seconds: took,
	};
}
