// Failovers that lose acknowledged writes: no signed call is accepted twice, and what was ended stays ended.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import { addApiClient } from "../harness/access/applications.ts";
import { WHOAMI } from "../harness/access/signed-wire.ts";
import { until, untilHealth } from "../harness/databases/ledger.ts";
import {
	OWN_POSTGRES_SKIPPED,
	startOwnPostgres,
	startStandby,
	startUniquePostgres,
	startUpgradedPostgres,
} from "../harness/databases/own-postgres.ts";
import { runCommand } from "../harness/processes/command.ts";
import {
	AFTER_PAUSE_MS,
	acceptCalls,
	countStatuses,
	type HealthBody,
	MASTER_KEY,
	newCalls,
	type SentCall,
	sessionStatuses,
	signIns,
	startOn,
	statusesOf,
} from "../harness/processes/failovers.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { ADMIN, type Credentials, type TestService } from "../harness/service/service.ts";

const LOST_CALLS = 200;
const LOST_SIGN_OUTS = 20;
const HEALTH = "/health";
const SIGN_IN = { username: ADMIN.username, password: ADMIN.password };

describe("a primary with a standby that lags", { skip: OWN_POSTGRES_SKIPPED }, () => {
	let service: TestService;
	after(() => service?.stop());
	let lost: SentCall[];
	let signedOut: string[];
	const primary = fixture(() => startOwnPostgres(), "remove");
	const client = fixture(async () => {
		const first = await startOn([primary.url]);
		const added = await addApiClient(first);
		await first.stop();
		return added;
	});
	const standby = fixture(() => startStandby(primary), "remove");
	setup(async () => {
		service = await startOn([primary.url, standby.url]);
		signedOut = await signIns(service, LOST_SIGN_OUTS);
	});

	test("accepts no call again after the failover, and keeps ended sessions ended", async () => {
		await standby.stopReceiving();
		lost = await acceptCalls(service, client, LOST_CALLS);
		const signOuts = signedOut.map((token) => service.call("POST", "/api/v1/auth/logout", { token }));
		assert.deepEqual(countStatuses(await Promise.all(signOuts)), { 204: LOST_SIGN_OUTS });
		primary.signal("SIGKILL");
		await untilHealth(service, 503);
		await standby.promote();
		await untilHealth(service, 200);
		await until("the failover is recorded", () =>
			service.logs().includes(`ended ${LOST_SIGN_OUTS} sessions and clients again`),
		);
		assert.deepEqual(await statusesOf(service, client, lost), { 503: LOST_CALLS });
		const refused = await service.signed(client, "GET", WHOAMI, { nonce: crypto.randomUUID() });
		assert.equal(refused.status, 503, "a new call within five minutes");
		const retryAfter = Number(refused.headers["retry-after"]);
		assert.ok(retryAfter > 200 && retryAfter <= 302, `Retry-After ${retryAfter}`);
		assert.deepEqual(await sessionStatuses(service, signedOut), { 401: LOST_SIGN_OUTS });
		const events = await service.asAdmin("GET", "/api/v1/audit-events?action=installation.failed_over");
		assert.equal(events.length, 1, "one audit event");
	});

	test("never goes back to the old primary", async () => {
		await primary.start();
		await service.stop();
		service = await startOn([primary.url, standby.url]);
		assert.equal((await service.call("GET", HEALTH)).status, 200);
		service.clock.advance(AFTER_PAUSE_MS);
		const late = await acceptCalls(service, client, LOST_CALLS);
		assert.deepEqual(await statusesOf(service, client, late), { 401: LOST_CALLS }, "the calls of this node");
		const other = await startOn([primary.url, standby.url]);
		other.clock.advance(AFTER_PAUSE_MS);
		assert.deepEqual(await statusesOf(other, client, late), { 401: LOST_CALLS }, "at another node");
		await other.stop();
	});

	test("reports both servers, at /health by their places", async () => {
		const { status, body } = await service.call<HealthBody>("GET", HEALTH);
		const place = (index: number) => `host ${index} of LATCHKEY_DATABASE_URL (timeline ${index})`;
		assert.deepEqual(
			[status, body.data.checks.database_writers, body.data.details],
			[200, "degraded", { database_writers: `accept writes: ${place(1)}, ${place(2)}` }],
		);
		assert.match(service.logs(), /two database servers accept writes/);
		const engine = await service.openDatabase();
		const servers = await engine.probeServers();
		await engine.close();
		assert.deepEqual(
			servers.map(({ state, identity = "" }) => `${state} ${identity.slice(-8)}`),
			["writable 00000001", "writable 00000002"],
		);
	});
});

describe("a dump restored into another cluster", { skip: OWN_POSTGRES_SKIPPED }, () => {
	let service: TestService;
	after(() => service?.stop());
	let client: Credentials;
	let sent: SentCall[];
	const first = fixture(() => startOwnPostgres(), "remove");
	const second = fixture(() => startUniquePostgres(), "remove");
	setup(async () => {
		service = await startOn([first.url]);
		client = await addApiClient(service);
		const copied = `pg_dump "${first.url}" | psql -q -v ON_ERROR_STOP=1 "${second.url}" >/dev/null`;
		await promisify(execFile)("bash", ["-o", "pipefail", "-c", copied]);
		sent = await acceptCalls(service, client, 20);
		await service.stop();
		service = await startOn([second.url]);
	});

	test("accepts no call and is unhealthy until the server is accepted", async () => {
		const health = await service.call<HealthBody>("GET", HEALTH);
		assert.equal(health.status, 503);
		assert.match(
			String(health.body.data.details?.database_server),
			/^the server is \d+\/00000001, before \d+\/00000001$/,
		);
		assert.deepEqual(await statusesOf(service, client, sent), { 503: sent.length });
		assert.match(service.logs(), /latchkey fence --accept-server/);
	});

	test("refuses to fence without --accept-server, and continues after it", async () => {
		const env = { LATCHKEY_DATABASE_URL: second.url, LATCHKEY_MASTER_KEY: MASTER_KEY };
		const refused = await runCommand(["fence"], { env });
		assert.equal(refused.code, 4, refused.stderr);
		assert.match(refused.stderr, /does not continue .* --accept-server/);
		const before = await service.tokenOf(ADMIN.username, ADMIN.password);
		const fenced = await runCommand(["fence", "--accept-server"], { env });
		assert.equal(fenced.code, 0, fenced.stderr);
		assert.match(fenced.stdout, /[0-9]+ sessions ended/);
		await untilHealth(service, 200);
		assert.equal((await service.call("GET", "/api/v1/users/me", { token: before })).status, 401);
		assert.deepEqual(await statusesOf(service, client, sent), { 503: sent.length });
		service.clock.advance(AFTER_PAUSE_MS);
		assert.deepEqual(await statusesOf(service, client, sent.slice(0, 1)), { 401: 1 }, "too old by now");
		await acceptCalls(service, client, 2);
	});
});

describe("a cluster that pg_upgrade created", { skip: OWN_POSTGRES_SKIPPED }, () => {
	let service: TestService;
	after(() => service?.stop());
	let client: Credentials;
	let sent: SentCall[];
	let idle: string;
	let recent: string;
	const old = fixture(() => startOwnPostgres(), "remove");
	setup(async () => {
		service = await startOn([old.url]);
		// Longer ago than an access token is valid: this session is certainly not in use.
		service.clock.standAt(Date.now() - 1_200_000);
		const login = await service.call("POST", "/api/v1/auth/login", { body: SIGN_IN });
		idle = login.body.data.refresh_token;
		service.clock.standAt(Date.now());
		client = await addApiClient(service);
		recent = await service.tokenOf(ADMIN.username, ADMIN.password);
		sent = await acceptCalls(service, client, 20);
		await service.stop();
	});
	const upgraded = fixture(() => startUpgradedPostgres(old), "remove");
	setup(async () => {
		service = await startOn([upgraded.url]);
	});

	test("is another server, which accepts no call but keeps the sessions", async () => {
		const { status, body } = await service.call<HealthBody>("GET", HEALTH);
		assert.equal(status, 503);
		const found = /^the server is (\d+)\/00000001, before (\d+)\/00000001$/.exec(
			String(body.data.details?.database_server),
		);
		assert.ok(found !== null && found[1] !== found[2], `system identifiers ${found?.slice(1).join(", ")}`);
		const calls = [...sent, ...newCalls(service.clock.now(), 2)];
		assert.deepEqual(await statusesOf(service, client, calls), { 503: calls.length });
		assert.deepEqual(await sessionStatuses(service, [recent]), { 200: 1 });
	});

	test("serves signed calls five minutes after it is accepted, and idle sessions throughout", async () => {
		const args = ["fence", "--accept-server", "--since", new Date().toISOString()];
		const fenced = await runCommand(args, {
			env: { LATCHKEY_DATABASE_URL: upgraded.url, LATCHKEY_MASTER_KEY: MASTER_KEY },
		});
		assert.equal(fenced.code, 0, fenced.stderr);
		await untilHealth(service, 200);
		const refreshed = await service.call("POST", "/api/v1/auth/refresh", {
			body: { refresh_token: idle },
		});
		assert.equal(refreshed.status, 200, "a session that was idle before the upgrade");
		assert.deepEqual(await sessionStatuses(service, [recent]), { 401: 1 }, "used within the last 15 minutes");
		const calls = [...sent, ...newCalls(service.clock.now(), 2)];
		assert.deepEqual(await statusesOf(service, client, calls), { 503: calls.length });
		service.clock.advance(AFTER_PAUSE_MS);
		assert.deepEqual(await statusesOf(service, client, sent), { 401: 10, 503: 10 }, "none again");
		await acceptCalls(service, client, 20);
	});
});
