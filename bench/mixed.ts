// The mixed load: response times, event loop, garbage collection, and growth of the database, on each engine.

import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "pg";
import { EVENT_LOOP_SAMPLE_MS } from "../src/app/metrics.ts";
import { createPostgresDatabase, findPostgres } from "../test/harness/databases/test-engine.ts";
import { ask, startNode, stopChild } from "./children.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import type { MixedLoad, MixedResult } from "./mixed-load.ts";
import { ISSUER, signInToService } from "./openid-client.ts";
import { type Population, populate } from "./people.ts";
import type { Processors } from "./processors.ts";
import { progress } from "./progress.ts";
import { type RunningService, startService } from "./service.ts";
import { processorSeconds } from "./usage.ts";

/** Two of them are sign-ins, which need some 40 % of one hash thread. */
const PER_SECOND = 100;
/** In percent. */
const SHARES = { me: 70, signed: 20, refresh: 5, introspect: 2, userinfo: 1, "sign-in": 2 } as const;
const WARM_UP_SECONDS = 5;
const SIGN_INS = 16;
/** A busy machine sends fewer, until the time is over. */
const SIGNED_CALLS = 50_000;
const SIGNED_SECONDS = 20;
const LIMIT_MS = 300_000;

export interface MixedReport {
	readonly engine: "embedded" | "PostgreSQL";
	readonly perSecond: number;
	/** In milliseconds, of each kind and of all together. */
	readonly times: Readonly<
		Record<keyof typeof SHARES | "all", { readonly p50Ms: number; readonly p99Ms: number }>
	>;
	/** Delay of the event loop, in milliseconds. */
	readonly delay: { readonly p50Ms: number; readonly p99Ms: number };
	/** Time of garbage collection, relative to the CPU time of the process. */
	readonly collectionShare: number;
	/** CPU time per request, hashes included, in microseconds. */
	readonly processorMicros: number;
	/** Statements that read the embedded database; undefined on PostgreSQL, which has no cached rows. */
	readonly readsPerRequest: number | undefined;
	/** Bytes that a million signed calls add to the database. */
	readonly bytesPerMillion: number;
}

/** On PostgreSQL only if a server is available. */
export async function measureMixed(
	newFolder: (name: string) => string,
	processors: Processors,
	seconds: number,
): Promise<MixedReport[]> {
	const dataDir = newFolder("mixed");
	const reports = [
		await measure("embedded", dataDir, {}, processors, seconds, async () => sizeOf(join(dataDir, "data"))),
	];
	if ((await findPostgres()) !== undefined) return reports;
	const database = await createPostgresDatabase({ migrated: false });
	try {
		const env = {
			LATCHKEY_DATABASE_URL: database.url,
			LATCHKEY_MASTER_KEY: randomBytes(32).toString("base64"),
		};
		const size = (): Promise<number> => databaseSize(database.url);
		reports.push(await measure("PostgreSQL", newFolder("mixed-postgres"), env, processors, seconds, size));
	} finally {
		await database.drop();
	}
	return reports;
}

async function measure(
	engine: MixedReport["engine"],
	dataDir: string,
	env: Readonly<Record<string, string>>,
	processors: Processors,
	seconds: number,
	size: () => Promise<number>,
): Promise<MixedReport> {
	const limits = { LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "1000000", LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000000" };
	const readsFile = engine === "embedded" ? join(dataDir, "reads") : undefined;
	const settings = { LATCHKEY_PUBLIC_URL: ISSUER, ...limits, ...countingReads(readsFile), ...env };
	// Both CPUs, as on its own machine: the hash threads run on the second.
	const service = await startService(dataDir, processors.both, settings);
	const helper = (file: string) => startNode(file, [], { processors: processors.load, responses: true });
	const [generator, signing] = [helper("bench/mixed-load.ts"), helper("bench/load-generator.ts")];
	try {
		progress(`mixed load, ${engine} database: people and an application`);
		const population = await populate(service);
		const application = await signInToService(service, SIGN_INS);
		const load: MixedLoad = {
			port: service.port,
			population,
			application,
			shares: SHARES,
			perSecond: PER_SECOND,
			seconds,
		};
		await ask<MixedResult>(generator, { ...load, seconds: WARM_UP_SECONDS }, LIMIT_MS);
		progress(`mixed load, ${engine} database: ${seconds} seconds`);
		// Reading the metrics resets the histogram of the event loop.
		const before = await figuresOf(service);
		const readsBefore = await readsOf(service, readsFile);
		const times = await ask<MixedResult>(generator, load, LIMIT_MS);
		const reads = (await readsOf(service, readsFile)) - readsBefore;
		const after = await figuresOf(service);
		const used = after.processorSeconds - before.processorSeconds;
		progress(`mixed load, ${engine} database: growth by signed calls`);
		const sign = (): Promise<LoadResult> => ask(signing, signedLoad(service, population), LIMIT_MS);
		await sign();
		const bytesBefore = await size();
		const { requests } = await sign();
		return {
			engine,
			perSecond: PER_SECOND,
			times: timesOf(times),
			delay: { p50Ms: delayOf(after.lagP50Seconds), p99Ms: delayOf(after.lagP99Seconds) },
			collectionShare: (after.collectionSeconds - before.collectionSeconds) / used,
			processorMicros: (used / (PER_SECOND * seconds)) * 1e6,
			readsPerRequest: readsFile === undefined ? undefined : reads / Object.values(times).flat().length,
			bytesPerMillion: (((await size()) - bytesBefore) / requests) * 1e6,
		};
	} finally {
		await stopChild(generator);
		await stopChild(signing);
		await service.stop();
	}
}

function countingReads(file: string | undefined): Record<string, string> {
	if (file === undefined) return {};
	const counter = pathToFileURL(join(import.meta.dirname, "count-reads.ts"));
	return { NODE_OPTIONS: `--max-semi-space-size=8 --import ${counter}`, BENCH_READS_FILE: file };
}

/** The reads since the start of the service. */
async function readsOf({ pid }: RunningService, file: string | undefined): Promise<number> {
	if (file === undefined) return 0;
	rmSync(file, { force: true });
	process.kill(pid, "SIGUSR2");
	for (;;) {
		const text = existsSync(file) ? readFileSync(file, "utf8") : "";
		if (text.endsWith("\n")) return Number(text);
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

function signedLoad({ port, pid }: RunningService, { client, userId }: Population): Load {
	const plan = { kind: "signed", credentials: client, userId } as const;
	return { plan, port, pid, connections: 32, count: SIGNED_CALLS, seconds: SIGNED_SECONDS };
}

async function figuresOf({ pid, metricsPort }: RunningService) {
	const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
	const sum = (name: string): number =>
		[...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))].reduce(
			(total, [, value]) => total + Number(value),
			0,
		);
	return {
		lagP50Seconds: sum("nodejs_eventloop_lag_p50_seconds"),
		lagP99Seconds: sum("nodejs_eventloop_lag_p99_seconds"),
		collectionSeconds: sum("nodejs_gc_duration_seconds_sum"),
		processorSeconds: processorSeconds(pid) ?? Number.NaN,
	};
}

/** In milliseconds: the metric includes the interval of its samples. */
function delayOf(lagSeconds: number): number {
	return lagSeconds * 1_000 - EVENT_LOOP_SAMPLE_MS;
}

function timesOf(result: MixedResult): MixedReport["times"] {
	const all = Object.values(result).flat();
	const entries = Object.entries({ ...result, all }).map(([kind, times]) => {
		const sorted = times.toSorted((one, other) => one - other);
		const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
		return [kind, { p50Ms: at(0.5), p99Ms: at(0.99) }];
	});
	return Object.fromEntries(entries) as MixedReport["times"];
}

function sizeOf(folder: string): number {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function databaseSize(url: string): Promise<number> {
	const client = new Client({ connectionString: url });
	await client.connect();
	try {
		const { rows } = await client.query("SELECT pg_database_size(current_database()) AS size");
		return Number(rows[0].size);
	} finally {
		await client.end();
	}
}

export function mixedLines(reports: readonly MixedReport[]): string[] {
	return reports.flatMap(
		({
			engine,
			perSecond,
			times,
			delay,
			collectionShare,
			processorMicros,
			readsPerRequest,
			bytesPerMillion,
		}) => [
			`mixed load, ${engine} database, ${perSecond} requests/s:`,
			...Object.entries(times).map(
				([kind, { p50Ms, p99Ms }]) =>
					`  ${kind.padEnd(12)} p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`,
			),
			`  delay of the event loop: p50 ${delay.p50Ms.toFixed(2)} ms, p99 ${delay.p99Ms.toFixed(2)} ms`,
			`  garbage collection: ${(collectionShare * 100).toFixed(1)} % of the CPU time; ${processorMicros.toFixed(0)} µs of CPU time per request`,
			...(readsPerRequest === undefined
				? []
				: [`  reads of the database: ${readsPerRequest.toFixed(2)} per request`]),
			`  a million signed calls add ${Math.round(bytesPerMillion / 1e6)} MB to the database`,
		],
	);
}
