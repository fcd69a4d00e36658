// The steady state: ten hours of load in ten minutes, by a clock that runs 60 times as fast. Nonces, sessions, and audit events
// grow old meanwhile, and the sizes of their tables must not grow.

import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { DAY_MS, HOUR_MS } from "../src/kernel/clock.ts";
import { ask, startNode, stopChild } from "./children.ts";
import type { BenchServer } from "./database-server.ts";
import type { MixedLoad, MixedResult } from "./mixed-load.ts";
import { populate } from "./people.ts";
import type { Processors } from "./processors.ts";
import { progress } from "./progress.ts";
import { type RunningService, startService } from "./service.ts";
import { processorSeconds } from "./usage.ts";

/** The clock of a process: it shows `shownMs` at `realMs`, and runs `factor` times as fast. */
export interface FastClock {
	readonly realMs: number;
	readonly shownMs: number;
	readonly factor: number;
}

const FACTOR = 60;
const SHARES = { signed: 78, refresh: 15, change: 6, "sign-in": 1 } as const;
/** After three hours of this clock, the first nonces and sessions are old enough. */
const SAMPLES_AT = { start: 0.35, middle: 0.65, end: 1 } as const;
/** The clock enters the next month in the middle of the load; the earlier one is dropped later. */
const PRUNED_AT = 0.8;
const KINDS = { nonces: "nonces_", sessions: "sessions", "audit events": "audit_events" } as const;

type Sample = Readonly<Record<keyof typeof KINDS, { readonly bytes: number; readonly deadRows: number }>>;

export interface SteadyReport {
	readonly seconds: number;
	readonly factor: number;
	readonly perSecond: number;
	readonly sizes: Readonly<Record<keyof typeof SAMPLES_AT, Sample>>;
	readonly autovacuums: number;
	/** CPU time per request, in microseconds. */
	readonly nodeMicros: number;
	readonly databaseMicros: number;
	readonly p99Ms: number;
	/** Seconds that `latchkey audit prune` took to drop a month, its start included, and the bytes before and after. */
	readonly prune: { readonly seconds: number; readonly before: number; readonly after: number };
}

export async function measureSteady(
	server: BenchServer,
	dataDir: string,
	env: Readonly<Record<string, string>>,
	processors: Processors,
	{ seconds, perSecond }: Pick<SteadyReport, "seconds" | "perSecond">,
): Promise<SteadyReport> {
	const hours = (seconds * FACTOR * 1_000) / 2;
	const monthMs = beginOfMonth(Date.now() - 2 * hours);
	const clockFrom = (shownMs: number, factor: number): Record<string, string> => ({
		NODE_OPTIONS: `--max-semi-space-size=8 --import ${pathToFileURL(join(import.meta.dirname, "fast-clock.ts"))}`,
		BENCH_CLOCK: JSON.stringify({ realMs: Date.now(), shownMs, factor } satisfies FastClock),
	});
	mkdirSync(dataDir);
	progress("steady state: people and an API client");
	const shownMs = monthMs - hours;
	// At the usual speed, and before the load, so that access tokens do not expire.
	const slow = await startService(dataDir, processors.server, { ...env, ...clockFrom(shownMs - HOUR_MS, 1) });
	const population = await populate(slow);
	const change = await addChange(slow, shownMs + 30 * DAY_MS);
	await slow.stop();
	const fast = clockFrom(shownMs, FACTOR);
	const service = await startService(dataDir, processors.server, { ...env, ...fast });
	const generator = startNode("bench/mixed-load.ts", [], {
		processors: processors.load,
		responses: true,
		env: fast,
	});
	const load: MixedLoad = {
		port: service.port,
		population,
		change,
		shares: SHARES,
		perSecond,
		seconds,
	};
	const startedAt = performance.now();
	const until = (share: number): Promise<void> =>
		setTimeout(Math.max(0, startedAt + share * seconds * 1_000 - performance.now()));
	try {
		progress(
			`steady state: ${seconds} seconds, by the clock of the service ${((2 * hours) / 3_600_000).toFixed(1)} hours`,
		);
		const before = await server.use();
		const nodeBefore = usedBy(service);
		const loaded = ask<MixedResult>(generator, load, (seconds + 60) * 1_000);
		loaded.catch(() => undefined);
		await until(SAMPLES_AT.start);
		const start = await sampleOf(server);
		await until(SAMPLES_AT.middle);
		const middle = await sampleOf(server);
		await until(PRUNED_AT);
		const prune = await pruneBefore(server, monthMs, {
			...env,
			...fast,
			LATCHKEY_DATA_DIR: join(dataDir, "data"),
		});
		const times = Object.values(await loaded).flat();
		const end = await sampleOf(server);
		const after = await server.use();
		const micros = (used: number): number => (used / times.length) * 1e6;
		return {
			seconds,
			factor: FACTOR,
			perSecond,
			sizes: { start, middle, end },
			autovacuums: after.autovacuums - before.autovacuums,
			nodeMicros: micros(usedBy(service) - nodeBefore),
			databaseMicros: micros(after.processorSeconds - before.processorSeconds),
			p99Ms: times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? Number.NaN,
			prune,
		};
	} finally {
		await stopChild(generator);
		await service.stop();
	}
}

function usedBy({ pid }: RunningService): number {
	return processorSeconds(pid) ?? Number.NaN;
}

/** The change of a group with an admin key, which lives longer than a session. */
async function addChange(
	{ call, adminToken }: RunningService,
	expiresAtMs: number,
): Promise<NonNullable<MixedLoad["change"]>> {
	const token = await adminToken();
	const post = async (path: string, body: object) => (await call("POST", path, { token, body })).body.data;
	const expires_at = new Date(expiresAtMs).toISOString();
	const { key } = await post("/api/v1/admin-keys", { name: "Bench", roles: ["admin"], expires_at });
	const { id } = await post("/api/v1/groups", { name: "Bench" });
	return { path: `/api/v1/groups/${id}`, token: key };
}

async function sampleOf(server: BenchServer): Promise<Sample> {
	const sizes = await server.sizes(Object.values(KINDS));
	return Object.fromEntries(
		Object.entries(KINDS).map(([kind, part]) => [kind, sizes[part]]),
	) as unknown as Sample;
}

async function pruneBefore(
	server: BenchServer,
	monthMs: number,
	env: Readonly<Record<string, string>>,
): Promise<SteadyReport["prune"]> {
	const bytes = async (): Promise<number> => (await sampleOf(server))["audit events"].bytes;
	const before = await bytes();
	const startedAt = performance.now();
	const program = startNode(
		"bin/latchkey.js",
		["audit", "prune", "--before", new Date(monthMs).toISOString()],
		{
			processors: undefined,
			responses: false,
			env,
		},
	);
	program.stdout?.resume();
	const [code] = await once(program, "exit");
	if (code !== 0) throw new Error(`latchkey audit prune ended with ${code}`);
	return { seconds: (performance.now() - startedAt) / 1_000, before, after: await bytes() };
}

/** The first moment of a month (UTC). */
function beginOfMonth(atMs: number): number {
	const at = new Date(atMs);
	return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}

export function steadyLines({ seconds, factor, perSecond, sizes, prune, ...report }: SteadyReport): string[] {
	const { autovacuums, nodeMicros, databaseMicros, p99Ms } = report;
	const shown = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
	const cells = (kind: keyof Sample): string =>
		Object.values(sizes)
			.map(({ [kind]: { bytes, deadRows } }) => `${shown(bytes)}, ${deadRows} dead`.padStart(24))
			.join("");
	const column = (name: string): string => name.padStart(24);
	return [
		`steady state: ${perSecond} requests/s for ${seconds} s, ${((seconds * factor) / 3_600).toFixed(1)} hours by the clock of the service`,
		`${"".padEnd(16)}${Object.keys(sizes).map(column).join("")}`,
		...(Object.keys(KINDS) as (keyof Sample)[]).map((kind) => `${kind.padEnd(16)}${cells(kind)}`),
		`CPU time per request: node ${nodeMicros.toFixed(0)} µs, PostgreSQL ${databaseMicros.toFixed(0)} µs; p99 ${p99Ms.toFixed(1)} ms; autovacuums ${autovacuums}`,
		`a month dropped by latchkey audit prune: audit events ${shown(prune.before)}, then ${shown(prune.after)}; ${prune.seconds.toFixed(1)} s with its start`,
	];
}
