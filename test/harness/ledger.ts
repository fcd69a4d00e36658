// Load on a service whose database fails, with a ledger of acknowledged writes: all of them must be found again.

import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { REQUESTS, rows, submission } from "./access-requests.ts";
import { noncesOf } from "./claimed-nonces.ts";
import type { Credentials, TestService } from "./service.ts";
import { WHOAMI } from "./signed-wire.ts";

const WORKERS = 8;
/** How many used nonces are tried once more, from the first to the last. */
const REPLAYS = 200;

/** Bounds a hang: every wait below is for a condition. */
const DEADLINE_MS = 30_000;

/** The answers so far. */
export interface Ledger {
	/** Ids of the access requests that were answered 201. */
	readonly submitted: string[];
	/** Of the signed requests that were accepted. */
	readonly nonces: string[];
	/** How often each status was answered. */
	readonly statuses: Map<number, number>;
	slowestMs: number;
}

export interface Load {
	readonly ledger: Ledger;
	/** Resolves after `count` further acknowledged submissions. */
	acknowledges(count: number): Promise<void>;
	/** Resolves when every request that was sent before the call has its answer. */
	answersAll(): Promise<void>;
	/** Resolves when the last request is answered. */
	stop(): Promise<void>;
}

/** Submits and signs, eight of each at a time, until it is stopped. */
export function startLoad(service: TestService, client: Credentials): Load {
	const ledger: Ledger = { submitted: [], nonces: [], statuses: new Map(), slowestMs: 0 };
	let isRunning = true;
	/** Pairs of requests that each worker has had answered. */
	const pairs = Array.from({ length: WORKERS }, () => 0);
	const work = async (worker: number): Promise<void> => {
		while (isRunning) {
			const began = performance.now();
			const nonce = crypto.randomUUID();
			const [submitted, signed] = await Promise.all([
				service.call("POST", REQUESTS, { body: submission() }),
				service.signed(client, "GET", WHOAMI, { nonce }),
			]);
			ledger.slowestMs = Math.max(ledger.slowestMs, performance.now() - began);
			for (const { status } of [submitted, signed])
				ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1);
			if (submitted.status === 201) ledger.submitted.push(submitted.body.id);
			if (signed.status === 200) ledger.nonces.push(nonce);
			pairs[worker] = (pairs[worker] ?? 0) + 1;
			// A client that is refused does not repeat at once.
			if (submitted.status !== 201) await wait(20);
		}
	};
	const workers = Promise.all(pairs.map((_, worker) => work(worker)));
	return {
		ledger,
		acknowledges(count) {
			const enough = ledger.submitted.length + count;
			return until(`${count} acknowledged submissions`, () => ledger.submitted.length >= enough);
		},
		answersAll() {
			const before = [...pairs];
			return until("an answer to every request", () =>
				pairs.every((count, worker) => count > (before[worker] ?? 0)),
			);
		},
		async stop() {
			isRunning = false;
			await workers;
		},
	};
}

/** Every acknowledged row is in the database, and no acknowledged nonce is accepted again. Prints the ledger. */
export async function assertNothingLost(
	service: TestService,
	client: Credentials,
	{ submitted, nonces, statuses, slowestMs }: Ledger,
): Promise<void> {
	const found = new Set(
		(await rows<{ id: string }>(service, "SELECT id FROM access_requests")).map(({ id }) => id),
	);
	const lost = submitted.filter((id) => !found.has(id));
	const claimed = new Set(await noncesOf(service));
	const lostNonces = nonces.filter((nonce) => !claimed.has(nonce));
	const answers = JSON.stringify(Object.fromEntries(statuses));
	for (const [what, all, missing] of [
		["requests", submitted, lost],
		["signed calls", nonces, lostNonces],
	] as const)
		console.log(
			`${what}: acknowledged ${all.length}, found ${all.length - missing.length}, lost ${missing.length}`,
		);
	console.log(`answers ${answers}, the slowest after ${slowestMs.toFixed(0)} ms`);
	assert.deepEqual([lost, lostNonces], [[], []]);
	assert.ok(submitted.length > 0 && nonces.length > 0);
	const step = Math.ceil(nonces.length / REPLAYS);
	const again = await Promise.all(
		nonces
			.filter((_, index) => index % step === 0)
			.map((nonce) => service.signed(client, "GET", WHOAMI, { nonce })),
	);
	for (const { status } of again) assert.equal(status, 401);
}

/** Waits until `/health` answers so. */
export function untilHealth(service: TestService, status: number): Promise<void> {
	return until(`/health is ${status}`, async () => (await service.call("GET", "/health")).status === status);
}

/** Waits until the condition holds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
	const deadline = performance.now() + DEADLINE_MS;
	while (!(await holds())) {
		assert.ok(performance.now() < deadline, `not within 30 s: ${what}`);
		await wait(20);
	}
}
