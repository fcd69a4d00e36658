// `node bench/token-endpoint.ts`: compares refreshes at the token endpoint with the library alone, and measures the
// memory of the first client.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BareOpenId, BareOpenIdTask } from "./bare-openid.ts";
import { ask, startNode, stopChildren } from "./children.ts";
import { ISSUER, signInToService, tokensFor } from "./openid-client.ts";
import { findProcessors } from "./processors.ts";
import { shown } from "./report.ts";
import { compare, type Round } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";
import { memoryOf, processorSeconds } from "./usage.ts";

/** Sign-ins to the application, each of which is refreshed repeatedly. */
const SIGN_INS = 16;
const ROUNDS = 5;
const ROUND_MS = 2_500;

interface Endpoint extends BareOpenId {
	readonly pid: number;
	readonly path: string;
	/** The newest refresh token of each sign-in. */
	readonly held: string[];
}

const processors = findProcessors();
const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const service = await start("service");
const { before, ...application } = await signInToService(service, SIGN_INS);
const ours: Endpoint = { ...application, pid: service.pid, held: [...application.refreshTokens] };
const after = memoryNow(service.pid);
const bare = await startBare();
const compared = await compare(
	ROUNDS,
	() => refreshAll(ours),
	() => refreshAll(bare),
);
const { measured, comparison, ratios, processorRatios } = compared;
const figures = {
	refreshes: `${measured.perSecond.toFixed(0)} a second, ${measured.processorMicros?.toFixed(0)} µs`,
	library: `${comparison.perSecond.toFixed(0)} a second, ${comparison.processorMicros?.toFixed(0)} µs`,
	ratio: shown(ratios, 2),
	"by CPU time": shown(processorRatios, 2),
	"more memory after the first sign-ins": `${((after - before) / 2 ** 20).toFixed(1)} MiB`,
};
for (const [name, figure] of Object.entries(figures)) console.log(`${name}: ${figure}`);
await stopChildren();
process.exit(0);

async function start(name: string): Promise<RunningService> {
	const dataDir = join(folder, name);
	mkdirSync(dataDir);
	const env = {
		LATCHKEY_PUBLIC_URL: ISSUER,
		LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000000",
		LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "1000000",
	};
	return await startService(dataDir, processors.server, env);
}

async function startBare(): Promise<Endpoint> {
	const child = startNode("bench/bare-openid.ts", [], { processors: processors.server, responses: true });
	const task: BareOpenIdTask = { signIns: SIGN_INS };
	const answer = await ask<BareOpenId>(child, task, 30_000);
	return { ...answer, pid: child.pid as number, path: "/token", held: [...answer.refreshTokens] };
}

function memoryNow(pid: number): number {
	return memoryOf(pid)?.now ?? Number.NaN;
}

async function refreshAll(endpoint: Endpoint): Promise<Round> {
	const processorBefore = processorSeconds(endpoint.pid) ?? Number.NaN;
	const own = process.cpuUsage();
	const startedAt = performance.now();
	let requests = 0;
	await Promise.all(
		endpoint.held.map(async (_, index) => {
			while (performance.now() - startedAt < ROUND_MS) {
				const fields = { grant_type: "refresh_token", refresh_token: endpoint.held[index] ?? "" };
				endpoint.held[index] = (await tokensFor(endpoint, fields)).refresh_token;
				requests += 1;
			}
		}),
	);
	const seconds = (performance.now() - startedAt) / 1_000;
	const { user, system } = process.cpuUsage(own);
	const processorMicros =
		(((processorSeconds(endpoint.pid) ?? Number.NaN) - processorBefore) / requests) * 1e6;
	const generatorShare = (user + system) / 1e6 / seconds;
	return { perSecond: requests / seconds, processorMicros, generatorShare, requests, seconds };
}
