// PostgreSQL killed under load: 503 at once, nothing lost that was answered, and back by itself.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { addApiClient } from "../harness/applications.ts";
import { assertNothingLost, startLoad, untilHealth } from "../harness/ledger.ts";
import { OWN_POSTGRES_SKIPPED, type OwnPostgres, startOwnPostgres } from "../harness/own-postgres.ts";
import { type Credentials, startTestService, type TestService } from "../harness/service.ts";

/** Within this time every request is answered, during any database fault; after it the service works again. */
const ANSWER_MS = 2_000;
const BACK_MS = 5_000;

let postgres: OwnPostgres;
let service: TestService;
let client: Credentials;

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
		const load = startLoad(service, client);
		for (let kill = 0; kill < 3; kill++) {
			await wait(400);
			postgres.signal("SIGKILL");
			await untilHealth(service, 503, ANSWER_MS);
			await wait(300);
			await postgres.start();
			await untilHealth(service, 200, BACK_MS);
		}
		await wait(300);
		await load.stop();
		assert.deepEqual([...load.ledger.statuses.keys()].sort(), [200, 201, 503]);
		assert.ok(load.ledger.slowestMs < ANSWER_MS, `an answer took ${load.ledger.slowestMs} ms`);
		await assertNothingLost(service, client, load.ledger);
	});

	test("frozen: 503 within two seconds, and service again when it continues", async () => {
		const load = startLoad(service, client);
		await wait(300);
		postgres.signalAll("SIGSTOP");
		await untilHealth(service, 503, ANSWER_MS + 100);
		await wait(2_500);
		postgres.signalAll("SIGCONT");
		await untilHealth(service, 200, BACK_MS);
		await load.stop();
		// The server is probed after a second of silence, and the statement fails after two.
		assert.ok(load.ledger.slowestMs < ANSWER_MS + 500, `an answer took ${load.ledger.slowestMs} ms`);
		await assertNothingLost(service, client, load.ledger);
	});
});
