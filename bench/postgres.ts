// `npm run bench:postgres`: measures the service on PostgreSQL against the bare driver, with one and two nodes, and
// lists of a million rows.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createPostgresDatabase } from "../test/harness/databases/test-engine.ts";
import type { DriverResult, DriverTask } from "./bare-driver.ts";
import { ask, startNode, stopChildren } from "./children.ts";
import { type CountedList, listReport, measureLists } from "./lists.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import { fillUp, type Rows } from "./many-rows.ts";
import { type Population, populate } from "./people.ts";
import { describeMachine, scenarioLines } from "./report.ts";
import type { Plan } from "./requests.ts";
import { compare, type Round } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";
import { FRESH, type Statement, statementsOf } from "./statements.ts";

const LIMIT_MS = 900_000;
/** Requests in flight over all nodes, and connections per node. */
const CONCURRENCY = 32;
const CONNECTIONS = 20;
const GOAL = 0.5;
const FEW: Rows = { users: 10_000, accessRequests: 10_000 };
const MANY: Rows = { users: 1_000_000, accessRequests: 100_000 };

interface Node {
	readonly service: RunningService;
	readonly generator: ChildProcess;
	readonly driver: ChildProcess;
}

const { values: options } = parseArgs({
	options: {
		json: { type: "string" },
		rounds: { type: "string", default: "5" },
		seconds: { type: "string", default: "2.5" },
	},
});
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)];
setTimeout(() => fail(new Error(`the run took longer than ${LIMIT_MS / 1000} s`)), LIMIT_MS).unref();
const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
const database = await createPostgresDatabase({ migrated: false });
try {
	const report = await run();
	if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, "\t")}\n`);
	await leave();
	process.exit(0);
} catch (error) {
	await leave();
	fail(error);
}

async function leave(): Promise<void> {
	await stopChildren();
	await database.drop();
}

async function run() {
	const key = randomBytes(32).toString("base64");
	const nodes = [await startOne("one", key), await startOne("two", key)];
	const [first] = nodes as [Node, Node];
	progress("people and an API client");
	const population = await populate(first.service);
	const scenarios = [];
	for (const { title, plan, statements } of await plansFor(population))
		for (const used of [[first], nodes]) {
			const name = `${title}, ${used.length === 1 ? "one node" : "two nodes"}`;
			progress(name);
			const compared = await compare(
				rounds,
				() => loadRound(used, plan),
				() => driverRound(used, statements),
			);
			const comparedWith = `the driver alone, ${statements.length === 1 ? "1 statement" : `${statements.length} statements`}`;
			scenarios.push({ name, title: name, comparedWith, goal: GOAL, ...compared });
		}
	const lists = await measureGrowth(first, population.client.tenant_id);
	const machine = describeMachine({ server: undefined, load: undefined, both: undefined });
	console.log([...scenarios.flatMap(scenarioLines), ...listReport(lists)].join("\n"));
	return { machine, scenarios, lists };
}

async function startOne(name: string, masterKey: string): Promise<Node> {
	const dataDir = join(folder, name);
	mkdirSync(dataDir);
	const env = {
		LATCHKEY_DATABASE_URL: `${database.url}?pool_size=${CONNECTIONS}`,
		LATCHKEY_MASTER_KEY: masterKey,
	};
	const helper = (file: string): ChildProcess =>
		startNode(file, [], { processors: undefined, responses: true });
	return {
		service: await startService(dataDir, undefined, env),
		generator: helper("bench/load-generator.ts"),
		driver: helper("bench/bare-driver.ts"),
	};
}

/** Scenarios with the statements that the service runs for each request. */
async function plansFor({ tokens, client, userId }: Population) {
	const nowSeconds = Math.floor(Date.now() / 1000);
	const signed: { title: string; plan: Plan; statements: Statement[] } = {
		title: "POST /api/v1/external/users/check-access, signed",
		plan: { kind: "signed", credentials: client, userId },
		statements: await statementsOf(database.url, async ({ signingClients, nonces, accessFacts }) => {
			await signingClients.findByApiKey(client.api_key);
			await nonces.claim(client.id, FRESH, nowSeconds);
			await accessFacts.load(client.tenant_id, userId, client.app_id);
		}),
	};
	const me: typeof signed = {
		title: "GET /api/v1/users/me",
		plan: { kind: "me", tokens },
		statements: await statementsOf(database.url, ({ sessions }) =>
			sessions.findSignedIn(sessionOf(tokens[0] as string), Date.now()),
		),
	};
	return [me, signed];
}

function sessionOf(token: string): string {
	return JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString()).sid;
}

async function loadRound(nodes: readonly Node[], plan: Plan): Promise<Round> {
	const results = await Promise.all(
		nodes.map(({ service, generator }) => {
			const load: Load = {
				plan,
				port: service.port,
				pid: service.pid,
				connections: CONCURRENCY / nodes.length,
				count: Math.ceil(30_000 * seconds),
				seconds,
			};
			return ask<LoadResult>(generator, load, 60_000);
		}),
	);
	return together(
		results.map(({ requests, seconds: took, serverSeconds = Number.NaN, generatorSeconds }) => ({
			requests,
			seconds: took,
			processorSeconds: serverSeconds,
			generatorShare: generatorSeconds / took,
		})),
	);
}

async function driverRound(nodes: readonly Node[], statements: readonly Statement[]): Promise<Round> {
	const task: DriverTask = {
		url: database.url,
		statements,
		connections: CONNECTIONS,
		concurrency: CONCURRENCY / nodes.length,
		seconds,
	};
	return together(await Promise.all(nodes.map(({ driver }) => ask<DriverResult>(driver, task, 60_000))));
}

/** The total rate of all nodes and their CPU time per request. */
function together(results: readonly (DriverResult & { readonly generatorShare?: number })[]): Round {
	const sum = (read: (result: DriverResult) => number): number =>
		results.reduce((total, result) => total + read(result), 0);
	const requests = sum((result) => result.requests);
	const [share] = results.map(({ generatorShare }) => generatorShare);
	return {
		perSecond: sum((result) => result.requests / result.seconds),
		processorMicros: (sum((result) => result.processorSeconds) / requests) * 1e6,
		...(share === undefined ? {} : { generatorShare: share }),
		requests,
		seconds: Math.max(...results.map((result) => result.seconds)),
	};
}

async function measureGrowth({ service, generator }: Node, tenantId: string): Promise<CountedList[]> {
	const token = await service.adminToken();
	const target = { port: service.port, pid: service.pid, generator, token, rounds };
	let from: Rows = { users: 0, accessRequests: 0 };
	const measured = [];
	for (const rows of [FEW, MANY]) {
		progress(`lists over ${rows.users} users and ${rows.accessRequests} access requests`);
		await fillUp(database.url, tenantId, rows, from);
		from = rows;
		measured.push(await measureLists(target));
	}
	const [few = [], many = []] = measured;
	return few.map((list, index) => ({ ...list, many: (many[index] as typeof list).few }));
}

function progress(what: string): void {
	console.error(`measuring: ${what}`);
}

/** A wrong response fails the run instead of counting as slow. */
function fail(error: unknown): never {
	console.error(`the benchmark failed: ${error instanceof Error ? error.stack : String(error)}`);
	process.exit(1);
}
