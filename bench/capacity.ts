// `node bench/capacity.ts`: what requests cost a node and its PostgreSQL server, in processor time, write-ahead log, and
// disk; then a steady state. Starts its own server, and requires the programs of PostgreSQL and Linux.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ask, startNode, stopChildren } from "./children.ts";
import { type BenchServer, type DatabaseUse, startBenchServer } from "./database-server.ts";
import { putGate, signInPeople } from "./gate-callers.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import { connectionsOf, toRound } from "./measure.ts";
import { send } from "./openid-client.ts";
import { populate } from "./people.ts";
import { findProcessors } from "./processors.ts";
import { progress } from "./progress.ts";
import { sendRefreshes } from "./refreshes.ts";
import { describeMachine } from "./report.ts";
import { addressOf, type Plan } from "./requests.ts";
import type { Round } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";
import { measureSteady, steadyLines } from "./steady.ts";

const LIMIT_MS = 1_200_000;
const WARM_UP_SECONDS = 2;
/** Each with a trail of its own. */
const TENANTS = 100;
const GROUPS = 16;
const LIMITS = { LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000000", LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "1000000" };

/** Sends requests for some seconds. */
type Send = (seconds: number) => Promise<Round>;

interface Row {
	readonly what: string;
	readonly perSecond: number;
	/** CPU time per request, in microseconds. */
	readonly nodeMicros: number;
	readonly databaseMicros: number;
	/** Per request. */
	readonly logBytes: number;
	readonly tableBytes: number;
	readonly indexBytes: number;
	/** Of the updates, those that changed no index; undefined without updates. */
	readonly hotShare: number | undefined;
	readonly autovacuums: number;
}

const { values: options } = parseArgs({
	options: {
		json: { type: "string" },
		rate: { type: "string", default: "200" },
		seconds: { type: "string", default: "10" },
		steady: { type: "string", default: "600" },
		tenants: { type: "string", default: String(TENANTS) },
	},
});
const startedAt = performance.now();
const processors = findProcessors();
setTimeout(() => fail(new Error(`the run took longer than ${LIMIT_MS / 1_000} s`)), LIMIT_MS).unref();
const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
try {
	const machine = describeMachine(processors);
	const rows = Number(options.seconds) > 0 ? await withServer(measureRows) : [];
	const steady = Number(options.steady) > 0 ? await withServer(measureSteadyState) : undefined;
	const took = `${Math.round((performance.now() - startedAt) / 1_000)} s in all`;
	console.log([...table(rows), "", ...(steady === undefined ? [] : steadyLines(steady)), took].join("\n"));
	if (options.json !== undefined)
		writeFileSync(options.json, `${JSON.stringify({ machine, rows, steady }, null, "\t")}\n`);
	process.exit(0);
} catch (error) {
	await fail(error);
}

async function withServer<T>(work: (server: BenchServer) => Promise<T>): Promise<T> {
	const server = await startBenchServer(processors.load);
	try {
		return await work(server);
	} finally {
		await stopChildren();
		await server.remove();
	}
}

function environment({ postgres }: BenchServer): Record<string, string> {
	const key = randomBytes(32).toString("base64");
	return { ...LIMITS, LATCHKEY_DATABASE_URL: postgres.url, LATCHKEY_MASTER_KEY: key };
}

function measureSteadyState(server: BenchServer) {
	const load = { seconds: Number(options.steady), perSecond: Number(options.rate) };
	return measureSteady(server, join(folder, "steady"), environment(server), processors, load);
}

async function measureRows(server: BenchServer): Promise<Row[]> {
	const dataDir = join(folder, "service");
	mkdirSync(dataDir);
	progress("people, an API client, a gate, and tenants");
	const service = await startService(dataDir, processors.server, environment(server));
	const generator = startNode("bench/load-generator.ts", [], {
		processors: processors.load,
		responses: true,
	});
	const population = await populate(service);
	const gated = await putGate(service);
	const Cookies = await signInPeople(gated, population.people);
	const { client: credentials, userId, people } = population;
	const load = (plan: Plan): Send => sendPlan(service, generator, plan);
	const kinds: [string, Send][] = [
		["signed call, GET whoami: a claim", load({ kind: "whoami", credentials })],
		["signed call, POST check-access", load({ kind: "signed", credentials, userId })],
		[
			"decision of a gate, cookie",
			load({ kind: "gate", gate: gated.gate, proofs: Cookies.map((Cookie) => ({ Cookie })) }),
		],
		["sign-in, bcrypt cost 12", load({ kind: "login", people })],
		["refresh", await sendRefreshes(service, people)],
		["audited change, one tenant", load({ kind: "change", targets: await groupsOf(service) })],
		[
			`audited change, ${options.tenants} tenants`,
			load({ kind: "change", targets: await groupsOfTenants(service) }),
		],
	];
	const rows: Row[] = [];
	for (const [what, sending] of kinds) {
		progress(what);
		await sending(WARM_UP_SECONDS);
		const before = await server.use();
		const sent = await sending(Number(options.seconds));
		rows.push(rowOf(what, sent, before, await server.use()));
	}
	return rows;
}

function rowOf(
	what: string,
	{ perSecond, processorMicros = Number.NaN, requests }: Round,
	before: DatabaseUse,
	after: DatabaseUse,
): Row {
	const grown = (figure: keyof DatabaseUse): number => after[figure] - before[figure];
	return {
		what,
		perSecond,
		nodeMicros: processorMicros,
		databaseMicros: (grown("processorSeconds") / requests) * 1e6,
		logBytes: grown("logBytes") / requests,
		tableBytes: grown("tableBytes") / requests,
		indexBytes: grown("indexBytes") / requests,
		hotShare: grown("updates") === 0 ? undefined : grown("hotUpdates") / grown("updates"),
		autovacuums: grown("autovacuums"),
	};
}

function sendPlan({ port, pid }: RunningService, generator: ChildProcess, plan: Plan): Send {
	return async (seconds) => {
		const load: Load = {
			plan,
			port,
			pid,
			connections: connectionsOf(plan),
			count: 12_000 * seconds,
			seconds,
		};
		return toRound(await ask<LoadResult>(generator, load, 120_000));
	};
}

type Targets = readonly Readonly<Record<"path" | "token", string>>[];

/** Several groups, so that requests wait for each other only at the end of the trail. */
async function groupsOf(service: RunningService, count = GROUPS, token?: string): Promise<Targets> {
	const admin = token ?? (await service.adminToken());
	const targets: { path: string; token: string }[] = [];
	for (let number = 1; number <= count; number++) {
		const { body } = await service.call("POST", "/api/v1/groups", {
			token: admin,
			body: { name: `Group ${number}` },
		});
		targets.push({ path: `/api/v1/groups/${body.data.id}`, token: admin });
	}
	return targets;
}

async function groupsOfTenants(service: RunningService): Promise<Targets> {
	const token = await service.adminToken();
	const targets: Targets[number][] = [];
	for (let number = 1; number <= Number(options.tenants); number++) {
		const slug = `tenant-${number}`;
		const from = addressOf(number * 1_000);
		const admin = {
			username: "admin",
			email: `admin@${slug}.example`,
			password: "a fine password of a tenant",
		};
		const created = await service.call("POST", "/api/v1/tenants", {
			token,
			body: { name: slug, slug, admin },
			from,
		});
		const { username, password } = admin;
		const signedIn = await send(service.port, "POST", "/api/v1/auth/login", {
			headers: {
				"content-type": "application/json",
				"x-tenant-id": created.body.data.id,
				"x-forwarded-for": from,
			},
			body: JSON.stringify({ username, password }),
		});
		targets.push(...(await groupsOf(service, 1, JSON.parse(signedIn.text).data.access_token)));
	}
	return targets;
}

/** Of one core that does nothing else. */
function table(rows: readonly Row[]): string[] {
	const columns: [string, (row: Row) => string][] = [
		["requests/s", ({ perSecond }) => whole(perSecond)],
		["node µs", ({ nodeMicros }) => whole(nodeMicros)],
		["database µs", ({ databaseMicros }) => whole(databaseMicros)],
		["per node core", ({ nodeMicros }) => whole(1e6 / nodeMicros)],
		["per database core", ({ databaseMicros }) => whole(1e6 / databaseMicros)],
		["log bytes", ({ logBytes }) => whole(logBytes)],
		["table bytes", ({ tableBytes }) => whole(tableBytes)],
		["index bytes", ({ indexBytes }) => whole(indexBytes)],
		["HOT", ({ hotShare }) => (hotShare === undefined ? "–" : `${Math.round(hotShare * 100)} %`)],
		["autovacuums", ({ autovacuums }) => String(autovacuums)],
	];
	const cells = (values: readonly string[]): string =>
		values.map((value, index) => value.padStart(Math.max(columns[index]?.[0].length ?? 0, 6) + 2)).join("");
	return [
		`${"".padEnd(36)}${cells(columns.map(([name]) => name))}`,
		...rows.map((row) => `${row.what.padEnd(36)}${cells(columns.map(([, read]) => read(row)))}`),
	];
}

function whole(value: number): string {
	return value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });
}

async function fail(error: unknown): Promise<never> {
	console.error(`the benchmark failed: ${error instanceof Error ? error.stack : String(error)}`);
	await stopChildren();
	process.exit(1);
}
