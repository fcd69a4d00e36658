// Puts load on a service whose database fails, and checks that no acknowledged write is lost.

import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { REQUESTS, rows, submission } from "../access/access-requests.ts";
import { WHOAMI } from "../access/signed-wire.ts";
import type { Credentials, TestService } from "../service/service.ts";
import { noncesOf, storedAs } from "./claimed-nonces.ts";

const WORKERS = 8;
/** How many used nonces to replay, spread over the whole run. */
const REPLAYS = 200;

/** The limit of each wait for a condition. */
const DEADLINE_MS = 30_000;

/** The responses so far. */
export interface Ledger {
	/** Ids of the access requests that returned 201. */
	readonly submitted: string[];
	/** Nonces of the accepted signed requests. */
	readonly nonces: string[];
	/** The number of responses by status. */
	readonly statuses: Map<number, number>;
	slowestMs: number;
}

export interface Load {
	readonly ledger: Ledger;
	/** Resolves after `count` further acknowledged submissions. */
	acknowledges(count: number): Promise<void>;
	/** Resolves when every request sent before the call has a response. */
	respondsToAll(): Promise<void>;
	/** Resolves after the last response. */
	stop(): Promise<void>;
}

/** Submits access requests and sends signed requests, eight of each at a time, until it is stopped. */
export function startLoad(service: TestService, client: Credentials): Load {
	const ledger: Ledger = { submitted: [], nonces: [], statuses: new Map(), slowestMs: 0 };
	let isRunning = true;
	/** The number of request pairs that each worker completed. */
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
			// A refused client waits before it retries.
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
		respondsToAll() {
			const before = [...pairs];
			return until("a response to every request", () =>
				pairs.every((count, worker) => count > (before[worker] ?? 0)),
			);
		},
		async stop() {
			isRunning = false;
			await workers;
		},
	};
}

/** Asserts that every acknowledged row is stored and no acknowledged nonce is accepted again. Prints the ledger. */
export async function assertNothingLost(
	service: TestService,
	client: Credentials,
	{ submitted, nonces, statuses, slowestMs }: Ledger,
): Promise<void> {
	const found = new Set((await rows<{ id: string }>(service, "SELECT id FROM requests")).map(({ id }) => id));
	const lost = submitted.filter((id) => !found.has(id));
	const claimed = await noncesOf(service);
	const byKey = `SELECT id FROM api_clients WHERE api_key = '${client.api_key}'`;
	const clientId = (await rows<{ id: string }>(service, byKey))[0]?.id ?? "";
	const lostNonces = nonces.filter((nonce) => !claimed.has(storedAs(clientId, nonce)));
	const responses = JSON.stringify(Object.fromEntries(statuses));
	for (const [what, all, missing] of [
		["requests", submitted, lost],
		["signed calls", nonces, lostNonces],
	] as const)
		console.log(
			`${what}: acknowledged ${all.length}, found ${all.length - missing.length}, lost ${missing.length}`,
		);
	console.log(`responses ${responses}, the slowest after ${slowestMs.toFixed(0)} ms`);
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

/**
 * Makes the database unavailable `times` times under load, and asserts that the service returns 503 meanwhile, recovers
 * each time, and loses no acknowledged write.
 */
export async function assertSurvives(
	service: TestService,
	client: Credentials,
	times: number,
	database: { readonly kill: () => unknown; readonly start: () => Promise<void> },
): Promise<void> {
	const load = startLoad(service, client);
	for (let kill = 0; kill < times; kill++) {
		await load.acknowledges(20);
		await database.kill();
		await untilHealth(service, 503);
		await load.respondsToAll();
		await database.start();
		await untilHealth(service, 200);
	}
	await load.acknowledges(20);
	await load.stop();
	assert.deepEqual([...load.ledger.statuses.keys()].sort(), [200, 201, 503]);
	await assertNothingLost(service, client, load.ledger);
}

/** Waits until `/health` returns this status. */
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
