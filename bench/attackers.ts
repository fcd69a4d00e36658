// `node bench/attackers.ts [hashes]`: measures sign-ins while twelve other IP addresses send as many as the rate
// limit allows.

import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";

const ATTACKERS = 12;
/**
 * Intervals in hashes, so that a busy machine affects both sides equally. At 200 ms per hash, each attacker sends its
 * 100 requests a minute, and one user signs in per second.
 */
const ATTACKED_EVERY = 3;
const SIGN_IN_EVERY = 5;
const ALONE = 10;
const PEOPLE = 10;
const PASSWORD = "a password of their own";
const LIMIT_MS = 580_000;

interface Answered {
	readonly status: number;
	readonly ms: number;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1_024 });

function signIn(port: number, from: string, username: string, password: string): Promise<Answered> {
	const text = JSON.stringify({ username, password });
	const headers = {
		"x-forwarded-for": from,
		"x-forwarded-proto": "https",
		"content-type": "application/json",
		"content-length": Buffer.byteLength(text),
	};
	const start = performance.now();
	return new Promise((resolve, reject) => {
		const request = http.request({ port, agent, method: "POST", path: "/api/v1/auth/login", headers });
		request.on("error", reject);
		request.on("response", (response) => {
			const status = response.statusCode ?? 0;
			response.resume().on("end", () => resolve({ status, ms: performance.now() - start }));
		});
		request.end(text);
	});
}

/** Calls `ask` `times` times, every `everyMs`, without waiting for the responses. */
async function steadily(
	times: number,
	everyMs: number,
	ask: (number: number) => Promise<Answered>,
): Promise<Answered[]> {
	const asked: Promise<Answered>[] = [];
	for (let number = 0; number < times; number++) {
		asked.push(ask(number));
		await new Promise((resolve) => setTimeout(resolve, everyMs));
	}
	return await Promise.all(asked);
}

function statusCounts(responses: readonly Answered[]): string {
	const counts = new Map<number, number>();
	for (const { status } of responses) counts.set(status, (counts.get(status) ?? 0) + 1);
	return [...counts].map(([status, count]) => `${count} × ${status}`).join(", ");
}

let round = 0;

/**
 * @param attack returns the credentials of an attacker's next request; requests continue for the duration of
 * `hashes`.
 */
async function measure(
	{ port }: RunningService,
	title: string,
	{ hashes, hashMs }: { readonly hashes: number; readonly hashMs: number },
	attack: (attacker: number, number: number) => readonly [username: string, password: string],
): Promise<void> {
	round++;
	const attacks = Array.from({ length: ATTACKERS }, (_, attacker) =>
		steadily(hashes / ATTACKED_EVERY, hashMs * ATTACKED_EVERY, (number) => {
			const [username, password] = attack(attacker, number);
			return signIn(port, `10.${round}.0.${attacker + 1}`, username, password);
		}),
	);
	const people = await steadily(hashes / SIGN_IN_EVERY, hashMs * SIGN_IN_EVERY, (number) =>
		signIn(port, `10.${round}.1.${number % 250}`, `person-${number % PEOPLE}`, PASSWORD),
	);
	const attacked = (await Promise.all(attacks)).flat();
	const right = people.filter(({ status }) => status === 200).map(({ ms }) => ms);
	const share = ((100 * right.length) / people.length).toFixed(0);
	const [half, longest] = [median(right), Math.max(...right)].map((ms) => (ms / hashMs).toFixed(1));
	console.log(
		`${title}: ${share} % of ${people.length} sign-ins succeeded, median ${half} hashes, longest ${longest}; attackers: ${statusCounts(attacked)}`,
	);
}

setTimeout(() => {
	console.error(`the run took longer than ${LIMIT_MS / 1000} s`);
	process.exit(1);
}, LIMIT_MS).unref();
const hashes = Number(process.argv[2] ?? 300);
const folder = mkdtempSync(join(tmpdir(), "latchkey-attackers-"));
const service = await startService(folder, undefined);
try {
	const token = await service.adminToken();
	for (let number = 0; number < PEOPLE; number++) {
		const username = `person-${number}`;
		const body = { username, email: `${username}@people.example`, password: PASSWORD };
		await service.call("POST", "/api/v1/users", { token, body });
	}
	const alone: number[] = [];
	for (let number = 0; number < ALONE; number++)
		alone.push((await signIn(service.port, "10.0.0.1", `person-${number % PEOPLE}`, PASSWORD)).ms);
	const hashMs = median(alone);
	console.log(`a sign-in without other load: ${hashMs.toFixed(0)} ms (one hash, below)`);
	const pace = { hashes, hashMs };
	await measure(service, "wrong passwords", pace, (attacker, number) => [
		`nobody-${attacker}-${number}`,
		PASSWORD,
	]);
	await measure(service, "right passwords", pace, (attacker) => [`person-${attacker % PEOPLE}`, PASSWORD]);
} finally {
	await service.stop();
	agent.destroy();
	rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
