// Incidents with PostgreSQL: the steps of docs/incidents.md for a failover and for two primaries, with two real servers.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { addApiClient } from "../harness/access/applications.ts";
import { until, untilHealth } from "../harness/databases/ledger.ts";
import {
	type OwnPostgres,
	type OwnStandby,
	startSynchronousStandby,
	startUniquePostgres,
} from "../harness/databases/own-postgres.ts";
import {
	acceptCalls,
	type HealthBody,
	sessionStatuses,
	settingsOn,
	signIns,
	startOn,
} from "../harness/processes/failovers.ts";
import { type OperatorShell, openShell } from "../harness/runs/operator-shell.ts";
import type { TestService } from "../harness/service/service.ts";
import { SERVERS_SKIPPED, stepsOf } from "./steps.ts";

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
	const client = new Client({ connectionString: url });
	await client.connect();
	try {
		return (await client.query(sql)).rows as Record<string, unknown>[];
	} finally {
		await client.end();
	}
}

const dataOf = async (server: OwnPostgres): Promise<string> =>
	String((await ask(server.url, "SHOW data_directory"))[0]?.data_directory);

describe("docs/incidents.md", { skip: SERVERS_SKIPPED }, () => {
	let primary: OwnPostgres;
	let standby: OwnStandby;
	let service: TestService;
	let shell: OperatorShell;

	before(async () => {
		primary = await startUniquePostgres();
		standby = await startSynchronousStandby(primary);
		service = await startOn([primary.url, standby.url]);
		shell = openShell({
			...settingsOn([primary.url, standby.url]),
			LATCHKEY_DATA_DIR: service.dataDir,
			LATCHKEY_PORT: String(service.httpPort),
			LATCHKEY_HTTPS_PORT: String(service.httpsPort),
			OLD_DATA: await dataOf(primary),
			STANDBY: standby.url,
			PRIMARY: standby.url,
			PGPORT: new URL(primary.url).port,
		});
		// As a base backup of a primary with a standby has it.
		await ask(standby.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
		const folder = shell.serverFolder("sockets");
		for (const { url } of [primary, standby])
			await ask(url, `ALTER SYSTEM SET unix_socket_directories = '${folder}'`);
	});
	after(async () => {
		await service?.stop();
		if (shell?.env.OLD_DATA !== undefined)
			await shell.run('pg_ctl --pgdata="$OLD_DATA" --mode=immediate stop').catch(() => undefined);
		await standby?.remove();
		await primary?.remove();
		shell?.[Symbol.dispose]();
	});

	test("fails over to the standby, and fences what it may lack", async () => {
		const steps = stepsOf("The database fails over");
		const client = await addApiClient(service);
		const tokens = [await service.adminToken(), ...(await signIns(service, 2))];
		await steps.next(shell);
		await untilHealth(service, 503);
		shell.env.LAST_WRITE = new Date().toISOString();
		await steps.next(shell);
		await untilHealth(service, 200);
		assert.match(await steps.next(shell), /^3 sessions ended$/m);
		assert.deepEqual(await sessionStatuses(service, tokens), { 401: 3 });
		const found = await steps.next(shell);
		assert.match(found, /"status":"ok"/);
		steps.end();
		service.clock.advance(310_000);
		await acceptCalls(service, client, 2);
	});

	test("stops the old primary when it comes back, and makes it a standby", async () => {
		const steps = stepsOf("Two primaries");
		shell.env.PROMOTED_AT = new Date().toISOString();
		await primary.start();
		const writers = async () =>
			(await service.call<HealthBody>("GET", "/health")).body.data.checks.database_writers;
		await until("both are noticed", async () => (await writers()) === "degraded");
		assert.match(await steps.next(shell), /timeline 1.*timeline 2|timeline 2.*timeline 1/s);
		await steps.next(shell);
		await steps.next(shell);
		await steps.next(shell);
		await until("one is left", async () => (await writers()) !== "degraded");
		assert.match(await steps.next(shell), /"status":"ok"/);
		steps.end();
		const followers = await ask(standby.url, "SELECT state FROM pg_stat_replication");
		assert.deepEqual(followers, [{ state: "streaming" }]);
		assert.deepEqual(await ask(primary.url, "SELECT pg_is_in_recovery() AS is"), [{ is: true }]);
	});
});
