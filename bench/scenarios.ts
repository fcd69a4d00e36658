// The scenarios, with their baselines and goals.

import type { HashResult } from "./bare-bcrypt.ts";
import { ask, startNode, stopChild } from "./children.ts";
import { slowDisk } from "./disk.ts";
import { EXCHANGE_SCENARIOS } from "./exchanges.ts";
import { GATE_SCENARIOS } from "./gates.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import { deliveredMails } from "./mails.ts";
import { type Bench, loader, overHttp, type Scenario, toRound } from "./measure.ts";
import { OPENID_SCENARIOS } from "./openid.ts";
import { issueTokens } from "./people.ts";
import { moveTo } from "./processors.ts";
import { type Compared, compare } from "./rounds.ts";
import { hashThreads, startService } from "./service.ts";

const BCRYPT_COST = 12;
const LOGINS_A_ROUND = 12;
const TOKENS_IN_USE = 20_000;
/** Concurrent sign-ins per hash thread. */
const RUSH = 8;

export const SCENARIOS: readonly Scenario[] = [
	{
		name: "me",
		title: "GET /api/v1/users/me",
		comparedWith: "node:http with a fixed response",
		goal: 0.55,
		run: (bench) => overHttp(bench, { kind: "me", tokens: bench.population.tokens }, "none"),
	},
	{
		name: "tokens",
		title: "GET /api/v1/users/me, 20,000 access tokens in use",
		comparedWith: "the same with 16 access tokens",
		goal: 0.83,
		run: manyTokens,
	},
	{
		name: "signed",
		title: "POST /api/v1/external/users/check-access, signed",
		comparedWith: "node:http that verifies the signature, nonces in memory",
		goal: 0.55,
		run(bench) {
			const { client, userId } = bench.population;
			return overHttp(bench, { kind: "signed", credentials: client, userId }, "signature");
		},
	},
	{
		name: "refused",
		title: "The same, one request in ten with an invalid signature",
		comparedWith: "the same requests, all valid",
		goal: 0.9,
		run: refusedCalls,
	},
	{
		name: "login",
		title: "POST /api/v1/auth/login, bcrypt cost 12",
		comparedWith: "the bcrypt library alone, with as many threads",
		goal: 0.95,
		run: (bench) => logins(bench, 1),
	},
	{
		name: "rush",
		title: "The same, eight concurrent requests",
		comparedWith: "the bcrypt library alone, with as many threads",
		goal: 2.4,
		run: (bench) => logins(bench, RUSH),
	},
	{
		name: "storm",
		title: "GET /api/v1/users/me during continuous sign-ins",
		comparedWith: "the same reads without sign-ins",
		goal: 0.84,
		run: readsDuringLogins,
	},
	{
		name: "access-requests",
		title: "POST /api/v1/access-requests, two mails each",
		comparedWith: "node:http that reads the body, fixed response",
		goal: undefined,
		run: accessRequests,
	},
	{
		name: "mails",
		title: "The same until both mails are delivered over SMTP",
		comparedWith: "nodemailer alone, two such mails",
		goal: undefined,
		run: deliveredMails,
	},
	{
		name: "tls",
		title: "GET /api/v1/users/me over TLS, persistent connections",
		comparedWith: "node:https with a fixed response",
		goal: undefined,
		run: (bench) => overHttp(bench, { kind: "me", tokens: bench.population.tokens }, "none", "kept"),
	},
	{
		name: "tls-new",
		title: "The same, a new connection per request",
		comparedWith: "node:https with a fixed response",
		goal: undefined,
		run: (bench) => overHttp(bench, { kind: "me", tokens: bench.population.tokens }, "none", "new"),
	},
	...OPENID_SCENARIOS,
	...EXCHANGE_SCENARIOS,
	...GATE_SCENARIOS,
	...[2, 10].map((waitMs) => ({
		name: `disk-${waitMs}`,
		title: `Signed requests, disk ${waitMs} ms slower`,
		comparedWith: "the same at normal disk speed",
		goal: undefined,
		run: (bench: Bench) => slowDisk(bench, waitMs),
	})),
];

async function manyTokens(bench: Bench): Promise<Compared> {
	const tokens = await issueTokens(bench.service, bench.population, TOKENS_IN_USE);
	const many = loader(bench, { kind: "me", tokens }, bench.service);
	const few = loader(bench, { kind: "me", tokens: bench.population.tokens }, bench.service);
	return await compare(bench.rounds, many, few);
}

async function refusedCalls(bench: Bench): Promise<Compared> {
	const { client: credentials, userId } = bench.population;
	const refused = loader(bench, { kind: "signed-refused", credentials, userId }, bench.service);
	const accepted = loader(bench, { kind: "signed", credentials, userId }, bench.service);
	return await compare(bench.rounds, refused, accepted);
}

/**
 * Starts its own service, because the delivery of its remaining mails takes minutes and would slow later scenarios.
 */
async function accessRequests(bench: Bench): Promise<Compared> {
	const service = await startService(bench.newFolder("access-requests"), bench.processors.server);
	try {
		return await overHttp({ ...bench, service }, { kind: "access-request" }, "body");
	} finally {
		await service.stop();
	}
}

async function logins(bench: Bench, atOnce: number): Promise<Compared> {
	const { processors, service, population } = bench;
	const threads = hashThreads(bench.processorCount);
	// The first sign-in is alone and the last ones are few, so measure enough in between.
	const count = LOGINS_A_ROUND * Math.ceil(atOnce / 4) * threads;
	const library = startNode("bench/bare-bcrypt.ts", [], { processors: processors.server, responses: true });
	const load: Load = {
		plan: { kind: "login", people: population.people },
		port: service.port,
		pid: service.pid,
		connections: atOnce * threads,
		count,
		seconds: 30,
	};
	try {
		return await compare(
			bench.rounds,
			async () => toRound(await ask<LoadResult>(bench.generator, load, 60_000)),
			async () => {
				const task = { cost: BCRYPT_COST, threads, count };
				const { seconds, processorSeconds } = await ask<HashResult>(library, task, 60_000);
				const processorMicros = (processorSeconds / count) * 1e6;
				return { perSecond: count / seconds, processorMicros, requests: count, seconds };
			},
		);
	} finally {
		await stopChild(library);
	}
}

/** The service uses both CPUs here, as on its own machine: the hash threads run on the second. */
async function readsDuringLogins(bench: Bench): Promise<Compared> {
	const { processors, service, population } = bench;
	const reads = loader(bench, { kind: "me", tokens: population.tokens }, service);
	const storm: Load = {
		plan: { kind: "login", people: population.people },
		port: service.port,
		pid: service.pid,
		connections: 8,
		count: 10_000,
		seconds: bench.seconds + 0.5,
	};
	moveTo(processors.both, service.pid);
	try {
		return await compare(
			bench.rounds,
			async () => {
				const [round] = await Promise.all([reads(), ask<LoadResult>(bench.stormGenerator, storm, 60_000)]);
				return round;
			},
			reads,
		);
	} finally {
		moveTo(processors.server, service.pid);
	}
}
