// PostgreSQL killed or frozen under load: 503 until it is back, no lost acknowledged write, and recovery without a restart.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import { assertNothingLost, assertSurvives, startLoad, untilHealth } from "../harness/databases/ledger.ts";
import { OWN_POSTGRES_SKIPPED, startOwnPostgres } from "../harness/databases/own-postgres.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

describe("PostgreSQL under load", { skip: OWN_POSTGRES_SKIPPED }, () => {
	const postgres = fixture(() => startOwnPostgres(), "remove");
	const service = testService(() => ({
		env: {
			LATCHKEY_DATABASE_URL: postgres.url,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
			LATCHKEY_LOG_LEVEL: "fatal",
		},
	}));
	const client = fixture(() => addApiClient(service));

	test("causes 503 while it is down, and after each of three kills the service recovers without a lost write", async () => {
		await assertSurvives(service, client, 3, {
			kill: () => postgres.signal("SIGKILL"),
			start: () => postgres.start(),
		});
	});

	test("causes 503 while it is frozen, and the service recovers when it continues", async () => {
		const load = startLoad(service, client);
		await load.acknowledges(20);
		postgres.signalAll("SIGSTOP");
		try {
			await untilHealth(service, 503);
			// No request waits until the server continues.
			await load.respondsToAll();
		} finally {
			postgres.signalAll("SIGCONT");
		}
		await untilHealth(service, 200);
		await load.acknowledges(1);
		await load.stop();
		assert.deepEqual([...load.ledger.statuses.keys()].sort(), [200, 201, 503]);
		await assertNothingLost(service, client, load.ledger);
	});
});
