// Scenarios of the OpenID provider, each against the oidc-provider library alone: code → token, refresh, and introspection.

import type { BareCodes, BareOpenId, BareOpenIdTask } from "./bare-openid.ts";
import { ask, startNode, stopChild } from "./children.ts";
import { alone, type Bench, type Scenario } from "./measure.ts";
import { codesOf, ISSUER, send, signInToService, tokensFor } from "./openid-client.ts";
import { type Compared, compare, type Round } from "./rounds.ts";
import { startService } from "./service.ts";
import { processorSeconds } from "./usage.ts";

/** The part of these scenarios. */
const NAME = "openid";
/** Sign-ins to the application, and requests at once. */
export const SIGN_INS = 16;
/** More than a round exchanges: those that remain are used in the next one. */
const CODES_A_SECOND = 400;

/** The service, or the library alone. */
interface Side extends Pick<BareOpenId, "port" | "clientId" | "clientSecret" | "accessTokens"> {
	readonly pid: number;
	/** Of the token endpoint. */
	readonly path: string;
	readonly introspectionPath: string;
	/** The newest refresh token of each sign-in. */
	readonly held: string[];
	/** The fields that exchange new codes for tokens. */
	issueCodes(count: number): Promise<readonly Readonly<Record<string, string>>[]>;
}

/** Sends one request of the worker with this number; false if nothing is left to send. */
export type Sender = (worker: number) => Promise<boolean>;
/** Before a round, outside its time. */
type Prepare = (side: Side, seconds: number) => Promise<Sender>;

export const OPENID_SCENARIOS: readonly Scenario[] = [
	scenario("code", "POST /oauth/token, authorization code", async (side, seconds) => {
		const codes = [...(await side.issueCodes(Math.ceil(CODES_A_SECOND * seconds)))];
		return async () => {
			const fields = codes.pop();
			if (fields !== undefined) await tokensFor(side, fields);
			return fields !== undefined;
		};
	}),
	scenario("refresh", "POST /oauth/token, refresh token", async (side) => async (worker) => {
		const fields = { grant_type: "refresh_token", refresh_token: side.held[worker] ?? "" };
		side.held[worker] = (await tokensFor(side, fields)).refresh_token;
		return true;
	}),
	scenario("introspection", "POST /oauth/introspect", async (side) => async (worker) => {
		await introspect(side, side.accessTokens[worker] ?? "");
		return true;
	}),
];

/** @param folder of the service. */
function scenario(folder: string, title: string, prepare: Prepare): Scenario {
	return {
		name: NAME,
		title,
		comparedWith: "the oidc-provider library alone, in memory",
		goal: 0.5,
		run: (bench) => besideLibrary(bench, `openid-${folder}`, prepare),
	};
}

async function besideLibrary(
	{ processors, rounds, seconds, newFolder }: Bench,
	folder: string,
	prepare: Prepare,
): Promise<Compared> {
	const limits = { LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000000", LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "1000000" };
	const env = { LATCHKEY_PUBLIC_URL: ISSUER, ...limits };
	const service = await startService(newFolder(folder), processors.server, env);
	const bare = startNode("bench/bare-openid.ts", [], { processors: processors.server, responses: true });
	try {
		const application = await signInToService(service, SIGN_INS);
		const ours: Side = {
			...application,
			pid: service.pid,
			introspectionPath: "/oauth/introspect",
			held: [...application.refreshTokens],
			issueCodes: (count) => codesOf(application, count),
		};
		const library = await ask<BareOpenId>(bare, { signIns: SIGN_INS } satisfies BareOpenIdTask, 30_000);
		const theirs: Side = {
			...library,
			pid: bare.pid as number,
			path: "/token",
			introspectionPath: "/token/introspection",
			held: [...library.refreshTokens],
			issueCodes: async (codes) => (await ask<BareCodes>(bare, { codes }, 30_000)).fields,
		};
		return await compare(
			rounds,
			() => alone(() => roundOf(ours, seconds, prepare), bare),
			() => alone(() => roundOf(theirs, seconds, prepare), service.child),
		);
	} finally {
		await stopChild(bare);
		await service.stop();
	}
}

async function roundOf(side: Side, seconds: number, prepare: Prepare): Promise<Round> {
	return await sendFor(side.pid, seconds, await prepare(side, seconds));
}

/** Sends requests from all workers for this time, or until nothing is left to send. */
export async function sendFor(pid: number, seconds: number, sendOne: Sender): Promise<Round> {
	const processorBefore = processorSeconds(pid) ?? Number.NaN;
	const own = process.cpuUsage();
	const startedAt = performance.now();
	let requests = 0;
	const work = async (_: unknown, worker: number): Promise<void> => {
		while (performance.now() - startedAt < seconds * 1_000 && (await sendOne(worker))) requests++;
	};
	await Promise.all(Array.from({ length: SIGN_INS }, work));
	const took = (performance.now() - startedAt) / 1_000;
	const { user, system } = process.cpuUsage(own);
	return {
		perSecond: requests / took,
		processorMicros: (((processorSeconds(pid) ?? Number.NaN) - processorBefore) / requests) * 1e6,
		generatorShare: (user + system) / 1e6 / took,
		requests,
		seconds: took,
	};
}

/** @throws Error unless the token is active. */
async function introspect(
	{ port, clientId, clientSecret, introspectionPath }: Side,
	token: string,
): Promise<void> {
	const proof = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
	const { status, text } = await send(port, "POST", introspectionPath, {
		headers: { authorization: `Basic ${proof}`, "content-type": "application/x-www-form-urlencoded" },
		body: String(new URLSearchParams({ token })),
	});
	if (status !== 200 || !text.includes('"active":true'))
		throw new Error(`${introspectionPath} returned ${status}: ${text}`);
}
