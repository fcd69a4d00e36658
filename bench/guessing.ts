// `node bench/guessing.ts [times|storm]`: measures whether response times reveal accounts, and how a flood of
// sign-ins affects the service.

import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";
import { processorSeconds } from "./usage.ts";

/** Pairs of a known and an unknown name. A sign-in takes a hash of 0.2 s, a password reset one transaction. */
const SIGN_IN_PAIRS = 40;
const STORM = 200;
/** Uses each email address once, so that limits do not affect the comparison of sent and unsent emails. */
const PEOPLE = 60;
const FORGOT_PAIRS = PEOPLE - 2;
/** Aborts a run that hangs. */
const LIMIT_MS = 300_000;

interface Cost {
	readonly ms: number;
	readonly processorMs: number;
}

interface Timed {
	readonly status: number;
	readonly ms: number;
	readonly retryAfter: string | undefined;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1_024 });
let callers = 0;

/** Each caller has its own IP address, so that no limit applies. */
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
				"x-forwarded-proto": "https",
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

/**
 * Alternates known and unknown names, so that a slow minute affects both. Also reports the CPU time of the service,
 * which varies less on a busy machine.
 */
async function compareTimes(
	what: string,
	{ pairs, pid }: { readonly pairs: number; readonly pid: number },
	ask: (known: boolean, number: number) => Promise<Timed>,
): Promise<void> {
	const known: Cost[] = [];
	const unknown: Cost[] = [];
	const statuses = new Set<number>();
	for (let number = -2; number < pairs; number++) {
		const order = number % 2 === 0 ? ([true, false] as const) : ([false, true] as const);
		for (const isKnown of order) {
			const before = processorSeconds(pid) ?? Number.NaN;
			const { status, ms } = await ask(isKnown, number + 2);
			const processorMs = ((processorSeconds(pid) ?? Number.NaN) - before) * 1_000;
			statuses.add(status);
			if (number >= 0) (isKnown ? known : unknown).push({ ms, processorMs });
		}
	}
	console.log(`${what} (medians of ${pairs} each, status ${[...statuses].join()}):`);
	for (const [measure, title] of [
		["ms", "clock"],
		["processorMs", "processor"],
	] as const) {
		const [one, other] = [known, unknown].map((costs) => median(costs.map((cost) => cost[measure])));
		const [k = Number.NaN, u = Number.NaN] = [one, other];
		const apart = ((100 * Math.abs(k - u)) / u).toFixed(1);
		console.log(`  ${title}: known ${k.toFixed(2)} ms, unknown ${u.toFixed(2)} ms, ${apart} % apart`);
	}
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
	const responses = await Promise.all(
		Array.from({ length: STORM }, (_, number) =>
			timed(port, "POST", "/api/v1/auth/login", { username: `nobody-${number}`, password: "not a password" }),
		),
	);
	isOver = true;
	await watch;
	const refused = responses.filter(({ status }) => status === 503);
	console.log(
		`${STORM} concurrent sign-ins: ${responses.length - refused.length} hashed, ${refused.length} refused with 503 (${quantiles(refused.map(({ ms }) => ms))}; Retry-After ${[...new Set(refused.map(({ retryAfter }) => retryAfter))].join()})`,
	);
	console.log(`/health at the same time, ${health.length} requests: ${quantiles(health)}`);
	const ask = (name: string): Promise<Timed> =>
		timed(port, "POST", "/api/v1/auth/login", { username: name, password: "not a password" });
	const full = Array.from({ length: 60 }, (_, number) => ask(`crowd-${number}`));
	await new Promise((resolve) => setTimeout(resolve, 250));
	const asked: Promise<Timed>[] = [];
	for (let number = 0; number < 20; number++) {
		asked.push(ask(`late-${number}`));
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	const late = await Promise.all(asked);
	await Promise.all(full);
	const turnedAway = late.filter(({ status }) => status === 503).map(({ ms }) => ms);
	console.log(
		`in sequence while the queue is full: ${turnedAway.length} of 20 refused with 503, ${quantiles(turnedAway)}`,
	);
}

/** Measures whether the response time reveals who has an account. */
async function times({ call, adminToken, port, pid }: RunningService): Promise<void> {
	const token = await adminToken();
	const people = Array.from({ length: PEOPLE }, (_, number) => `person-${number}`);

	for (const username of people)
		await call("POST", "/api/v1/users", {
			token,
			body: { username, email: `${username}@people.example`, password: "a password of their own" },
		});
	await compareTimes("sign-in with a wrong password", { pairs: SIGN_IN_PAIRS, pid }, (known, number) => {
		const username = known ? `person-${number % PEOPLE}` : `nobody-${number % PEOPLE}`;
		return timed(port, "POST", "/api/v1/auth/login", { username, password: "not the password" });
	});
	await compareTimes("forgotten password", { pairs: FORGOT_PAIRS, pid }, (known, number) => {
		const email = `${known ? "person" : "nobody"}-${number % PEOPLE}@people.example`;
		return timed(port, "POST", "/api/v1/auth/password/forgot", { email });
	});
}

setTimeout(() => {
	console.error(`the run took longer than ${LIMIT_MS / 1000} s`);
	process.exit(1);
}, LIMIT_MS).unref();
const folder = mkdtempSync(join(tmpdir(), "latchkey-guessing-"));
const service = await startService(folder, undefined);
try {
	const [only] = process.argv.slice(2);
	if (only !== "storm") await times(service);
	if (only !== "times") await storm(service);
} finally {
	await service.stop();
	agent.destroy();
	rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
