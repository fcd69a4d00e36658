// Load on a service whose database is taken away, with a ledger of what was acknowledged: all of it must be found again.

import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { REQUESTS, rows, submission } from "./access-requests.ts";
import { noncesOf } from "./claimed-nonces.ts";
import type { Credentials, TestService } from "./service.ts";
import { WHOAMI } from "./signed-wire.ts";

const WORKERS = 8;
/** How many used nonces are tried once more, from the first to the last. */
const REPLAYS = 200;

/** What was asked, and what came of it. */
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
	/** Resolves when the last request is answered. */
	stop(): Promise<void>;
}

/** Submits and signs, eight of each at a time, until it is stopped. */
export function startLoad(service: TestService, client: Credentials): Load {
	const ledger: Ledger = { submitted: [], nonces: [], statuses: new Map(), slowestMs: 0 };
	let isRunning = true;
	const work = async (): Promise<void> => {
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
		}
	};
	const workers = Promise.all(Array.from({ length: WORKERS }, work));
	return {
		ledger,
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
export async function untilHealth(service: TestService, status: number, patienceMs: number): Promise<void> {
	const deadline = performance.now() + patienceMs;
	while ((await service.call("GET", "/health")).status !== status) {
		assert.ok(performance.now() < deadline, `/health did not become ${status} in ${patienceMs} ms`);
		await wait(20);
	}
}
