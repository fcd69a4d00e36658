// The primary killed under load and its synchronous standby promoted: the same service goes on, with everything it acknowledged.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { REQUESTS, submission } from "../harness/access-requests.ts";
import { addApiClient } from "../harness/applications.ts";
import { assertNothingLost, startLoad, untilHealth } from "../harness/ledger.ts";
import {
	OWN_POSTGRES_SKIPPED,
	type OwnPostgres,
	type OwnStandby,
	startOwnPostgres,
	startSynchronousStandby,
} from "../harness/own-postgres.ts";
import { type Credentials, startTestService, type TestService } from "../harness/service.ts";
import { WHOAMI } from "../harness/signed-wire.ts";

/** Within which every request is answered, and after a promotion works. */
const ANSWER_MS = 2_000;
const BACK_MS = 5_000;
const CANCEL = "SELECT pg_cancel_backend(pid) AS done FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
const FOLLOWERS = "SELECT 1 FROM pg_stat_replication";

let primary: OwnPostgres;
let standby: OwnStandby;
let service: TestService;
let client: Credentials;

describe("a primary with a synchronous standby", { skip: OWN_POSTGRES_SKIPPED }, () => {
	before(async () => {
		primary = await startOwnPostgres();
		standby = await startSynchronousStandby(primary);
		const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(",");
		service = await startTestService({
			env: {
				LATCHKEY_DATABASE_URL: `postgres://latchkey@${hosts}/postgres?target_session_attrs=read-write`,
				LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
				LATCHKEY_LOG_LEVEL: "fatal",
			},
		});
		client = await addApiClient(service);
	});
	after(async () => {
		await service?.stop();
		await standby?.remove();
		await primary?.remove();
	});

	test("nothing is acknowledged that only the primary has, even when the wait for the standby is cancelled", async () => {
		const operator = new Client({ connectionString: primary.url });
		await operator.connect();
		standby.signal("SIGINT");
		await until(async () => (await operator.query(FOLLOWERS)).rows.length === 0);
		const asked = [
			service.call("POST", REQUESTS, { body: submission() }),
			service.signed(client, "GET", WHOAMI),
		];
		let cancelled = 0;
		await until(async () => {
			cancelled += (await operator.query(CANCEL)).rows.length;
			return cancelled >= asked.length;
		});
		await operator.end();
		for (const { status } of await Promise.all(asked)) assert.equal(status, 503);
		await standby.start();
		await untilHealth(service, 200, BACK_MS);
	});

	test("the primary killed and the standby promoted: 503 in between, then on without a restart", async () => {
		const load = startLoad(service, client);
		await wait(700);
		primary.signal("SIGKILL");
		await untilHealth(service, 503, ANSWER_MS);
		await wait(1_000);
		await standby.promote();
		await untilHealth(service, 200, BACK_MS);
		const before = load.ledger.submitted.length;
		await wait(700);
		await load.stop();
		assert.ok(load.ledger.submitted.length > before, "it goes on");
		assert.deepEqual([...load.ledger.statuses.keys()].sort(), [200, 201, 503]);
		assert.ok(load.ledger.slowestMs < ANSWER_MS, `an answer took ${load.ledger.slowestMs} ms`);
		await assertNothingLost(service, client, load.ledger);
	});
});

async function until(look: () => Promise<boolean>): Promise<void> {
	const deadline = performance.now() + BACK_MS;
	while (!(await look())) {
		assert.ok(performance.now() < deadline, "it does not come to it");
		await wait(50);
	}
}
