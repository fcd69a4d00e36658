// Kills the primary under load and promotes its synchronous standby: the service keeps every acknowledged write.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client } from "pg";
import { REQUESTS, submission } from "../harness/access/access-requests.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { WHOAMI } from "../harness/access/signed-wire.ts";
import { assertNothingLost, startLoad, until, untilHealth } from "../harness/databases/ledger.ts";
import {
	OWN_POSTGRES_SKIPPED,
	startOwnPostgres,
	startSynchronousStandby,
} from "../harness/databases/own-postgres.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const CANCEL = "SELECT pg_cancel_backend(pid) AS done FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
const FOLLOWERS = "SELECT 1 FROM pg_stat_replication";

describe("a primary with a synchronous standby", { skip: OWN_POSTGRES_SKIPPED }, () => {
	const primary = fixture(() => startOwnPostgres(), "remove");
	const standby = fixture(() => startSynchronousStandby(primary), "remove");
	const service = testService(() => {
		const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(",");
		return {
			env: {
				LATCHKEY_DATABASE_URL: `postgres://latchkey@${hosts}/postgres?target_session_attrs=read-write`,
				LATCHKEY_DATABASE_STANDBY: "synchronous",
				LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
				LATCHKEY_LOG_LEVEL: "fatal",
			},
		};
	});
	const client = fixture(() => addApiClient(service));

	test("acknowledges no write that only the primary has, even if the wait for the standby is canceled", async () => {
		const operator = new Client({ connectionString: primary.url });
		await operator.connect();
		standby.signal("SIGINT");
		await until("the standby is gone", async () => (await operator.query(FOLLOWERS)).rows.length === 0);
		const asked = [
			service.call("POST", REQUESTS, { body: submission() }),
			service.signed(client, "GET", WHOAMI),
		];
		let cancelled = 0;
		await until("both commits are cancelled", async () => {
			cancelled += (await operator.query(CANCEL)).rows.length;
			return cancelled >= asked.length;
		});
		await operator.end();
		for (const { status } of await Promise.all(asked)) assert.equal(status, 503);
		await standby.start();
		await untilHealth(service, 200);
	});

	test("returns 503 until the standby is promoted, and recovers without a restart", async () => {
		const load = startLoad(service, client);
		await load.acknowledges(20);
		primary.signal("SIGKILL");
		await untilHealth(service, 503);
		await load.respondsToAll();
		await standby.promote();
		await untilHealth(service, 200);
		await load.acknowledges(20);
		const isAccepted = async () => (await service.signed(client, "GET", WHOAMI)).status === 200;
		await until("the server is accepted", isAccepted);
		await load.stop();
		assert.deepEqual([...load.ledger.statuses.keys()].sort(), [200, 201, 503]);
		await assertNothingLost(service, client, load.ledger);
	});
});
