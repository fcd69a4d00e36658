// PostgreSQL killed under load: 503 at once, nothing lost that was answered, and back by itself.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { REQUESTS, rows, submission } from "../harness/access-requests.ts";
import { addApiClient } from "../harness/applications.ts";
import { OWN_POSTGRES_SKIPPED, type OwnPostgres, startOwnPostgres } from "../harness/own-postgres.ts";
import { type Credentials, startTestService, type TestService } from "../harness/service.ts";

const WORKERS = 8;
/** Within which every request is answered, whatever happens to the database, and after which it works again. */
const ANSWER_MS = 2_000;
const BACK_MS = 5_000;
const WHOAMI = "/api/v1/external/whoami";

let postgres: OwnPostgres;
let service: TestService;
let client: Credentials;

/** What was asked, and what came of it. */
interface Ledger {
	readonly submitted: string[];
	readonly nonces: string[];
	/** Of those that were refused. */
	readonly refusedNonces: string[];
	readonly statuses: Map<number, number>;
	slowestMs: number;
}

describe("PostgreSQL under load", { skip: OWN_POSTGRES_SKIPPED }, () => {
	before(async () => {
		postgres = await startOwnPostgres();
		service = await startTestService({
			env: {
				LATCHKEY_DATABASE_URL: postgres.url,
				LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
				LATCHKEY_LOG_LEVEL: "fatal",
			},
		});
		client = await addApiClient(service);
	});
	after(async () => {
		await service.stop();
		await postgres.remove();
	});

	test("killed three times: 503 within two seconds, back within five, and every answered write is there", async () => {
		const ledger: Ledger = {
			submitted: [],
			nonces: [],
			refusedNonces: [],
			statuses: new Map(),
			slowestMs: 0,
		};
		const load = startLoad(ledger);
		for (let kill = 0; kill < 3; kill++) {
			await wait(400);
			postgres.signal("SIGKILL");
			await untilHealth(503, ANSWER_MS);
			await wait(300);
			await postgres.start();
			await untilHealth(200, BACK_MS);
		}
		await wait(300);
		await load.stop();
		assert.deepEqual([...ledger.statuses.keys()].sort(), [200, 201, 503]);
		assert.ok(ledger.slowestMs < ANSWER_MS, `an answer took ${ledger.slowestMs} ms`);
		await assertNothingLost(ledger);
	});

	test("frozen: 503 within two seconds, and on with it when it goes on", async () => {
		const ledger: Ledger = {
			submitted: [],
			nonces: [],
			refusedNonces: [],
			statuses: new Map(),
			slowestMs: 0,
		};
		const load = startLoad(ledger);
		await wait(300);
		postgres.signalAll("SIGSTOP");
		await untilHealth(503, ANSWER_MS + 100);
		await wait(2_500);
		postgres.signalAll("SIGCONT");
		await untilHealth(200, BACK_MS);
		await load.stop();
		// A statement under way is asked about after a second, and given up after two.
		assert.ok(ledger.slowestMs < ANSWER_MS + 500, `an answer took ${ledger.slowestMs} ms`);
		await assertNothingLost(ledger);
	});
});

function startLoad(ledger: Ledger): { stop(): Promise<void> } {
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
			(signed.status === 200 ? ledger.nonces : ledger.refusedNonces).push(nonce);
		}
	};
	const workers = Promise.all(Array.from({ length: WORKERS }, work));
	return {
		async stop() {
			isRunning = false;
			await workers;
		},
	};
}

async function assertNothingLost({ submitted, nonces, statuses }: Ledger): Promise<void> {
	const found = new Set(
		(await rows<{ id: string }>(service, "SELECT id FROM access_requests")).map(({ id }) => id),
	);
	const lost = submitted.filter((id) => !found.has(id));
	const claimed = new Set(
		(await rows<{ nonce: string }>(service, "SELECT nonce FROM nonces")).map(({ nonce }) => nonce),
	);
	const lostNonces = nonces.filter((nonce) => !claimed.has(nonce));
	console.log(
		`acknowledged ${submitted.length} requests and ${nonces.length} signed calls, lost ${lost.length} and ${lostNonces.length}, answers ${JSON.stringify(Object.fromEntries(statuses))}`,
	);
	assert.deepEqual([lost, lostNonces], [[], []]);
	assert.ok(submitted.length > 0 && nonces.length > 0);
}

async function untilHealth(status: number, patienceMs: number): Promise<void> {
	const deadline = performance.now() + patienceMs;
	for (;;) {
		if ((await service.call("GET", "/health")).status === status) return;
		assert.ok(performance.now() < deadline, `/health did not become ${status} in ${patienceMs} ms`);
		await wait(20);
	}
}

function wait(milliseconds: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
