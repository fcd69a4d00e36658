// `node bench/guessing.ts`: whether times tell who has an account, and what a storm of sign-ins leaves of the service.

import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";

/** Pairs of a known and an unknown name; a sign-in is a hash of 0.2 s, a question about a password a transaction. */
const SIGN_IN_PAIRS = 40;
const FORGOT_PAIRS = 400;
const STORM = 200;
/** A run that hangs is worth nothing. */
const LIMIT_MS = 300_000;

interface Timed {
	readonly status: number;
	readonly ms: number;
	readonly retryAfter: string | undefined;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1_024 });
let callers = 0;

/** Each caller has an address of its own, so that no limit is in the way. */
function timed(port: number, method: string, path: string, body?: object): Promise<Timed> {
	const caller = ++callers;
	const text = body === undefined ? undefined : JSON.stringify(body);
	const start = performance.now();
	return new Promise((resolve, reject) => {
		const request = http.request({
			port,
			agent,
			method,
			path,
			headers: {
				"x-forwarded-for": `10.${(caller >> 16) & 255}.${(caller >> 8) & 255}.${caller & 255}`,
				...(text === undefined
					? {}
					: { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
			},
		});
		request.on("error", reject);
		request.on("response", (response) => {
			response.resume().on("end", () =>
				resolve({
					status: response.statusCode ?? 0,
					ms: performance.now() - start,
					retryAfter: response.headers["retry-after"],
				}),
			);
		});
		request.end(text);
	});
}

/** Known and unknown in turn, so that a slow minute falls on both. */
async function compareTimes(
	what: string,
	pairs: number,
	ask: (known: boolean, number: number) => Promise<Timed>,
) {
	const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
	const statuses = new Set<number>();
	for (let number = -2; number < pairs; number++) {
		const order = number % 2 === 0 ? ([true, false] as const) : ([false, true] as const);
		for (const known of order) {
			const { status, ms } = await ask(known, number + 2);
			statuses.add(status);
			if (number >= 0) times[known ? "known" : "unknown"].push(ms);
		}
	}
	const [known, unknown] = [median(times.known), median(times.unknown)];
	const apart = (100 * Math.abs(known - unknown)) / unknown;
	console.log(
		`${what}: known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms, ${apart.toFixed(1)} % apart (median of ${pairs} each; status ${[...statuses].join()})`,
	);
}

function quantiles(values: readonly number[]): string {
	const sorted = [...values].sort((a, b) => a - b);
	const at = (share: number): string =>
		(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(0);
	return `median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`;
}

async function storm({ port }: RunningService): Promise<void> {
	let isOver = false;
	const health: number[] = [];
	const watch = (async () => {
		while (!isOver) {
			health.push((await timed(port, "GET", "/health")).ms);
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	})();
	const answers = await Promise.all(
		Array.from({ length: STORM }, (_, number) =>
			timed(port, "POST", "/api/v1/auth/login", { username: `nobody-${number}`, password: "not a password" }),
		),
	);
	isOver = true;
	await watch;
	const refused = answers.filter(({ status }) => status === 503);
	console.log(
		`${STORM} sign-ins at once: ${answers.length - refused.length} hashed, ${refused.length} told 503 (${quantiles(refused.map(({ ms }) => ms))}; Retry-After ${[...new Set(refused.map(({ retryAfter }) => retryAfter))].join()})`,
	);
	console.log(`/health meanwhile, ${health.length} times: ${quantiles(health)}`);
	const late: Timed[] = [];
	const full = Array.from({ length: 60 }, (_, number) =>
		timed(port, "POST", "/api/v1/auth/login", { username: `crowd-${number}`, password: "not a password" }),
	);
	await new Promise((resolve) => setTimeout(resolve, 1_000));
	for (let number = 0; number < 20; number++)
		late.push(
			await timed(port, "POST", "/api/v1/auth/login", {
				username: `late-${number}`,
				password: "not a password",
			}),
		);
	await Promise.all(full);
	const turnedAway = late.filter(({ status }) => status === 503).map(({ ms }) => ms);
	console.log(
		`one at a time while the queue is full: ${turnedAway.length} of 20 told 503, ${quantiles(turnedAway)}`,
	);
}

setTimeout(() => {
	console.error(`the run took longer than ${LIMIT_MS / 1000} s`);
	process.exit(1);
}, LIMIT_MS).unref();
const folder = mkdtempSync(join(tmpdir(), "latchkey-guessing-"));
const service = await startService(folder, undefined);
try {
	const token = await service.adminToken();
	const people = Array.from(
		{ length: Math.max(SIGN_IN_PAIRS, FORGOT_PAIRS) + 2 },
		(_, number) => `person-${number}`,
	);
	const { call } = service;
	// One password hash for all of them would be quicker, but there is no such door: a few people are enough for sign-ins.
	for (const username of people.slice(0, 12))
		await call("POST", "/api/v1/users", {
			token,
			body: { username, email: `${username}@people.example`, password: "a password of their own" },
		});
	await compareTimes("sign-in with a wrong password", SIGN_IN_PAIRS, (known, number) => {
		const username = known ? `person-${number % 12}` : `nobody-${number % 12}`;
		return timed(service.port, "POST", "/api/v1/auth/login", { username, password: "not the password" });
	});
	// The first minute's mail of each address is sent, later ones are counted: both kinds of answer are compared.
	await compareTimes("forgotten password", FORGOT_PAIRS, (known, number) => {
		const email = `${known ? "person" : "nobody"}-${number % 12}@people.example`;
		return timed(service.port, "POST", "/api/v1/auth/password/forgot", { email });
	});
	await storm(service);
} finally {
	await service.stop();
	agent.destroy();
	rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
