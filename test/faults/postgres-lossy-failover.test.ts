// Failovers that lose acknowledged writes: no signed call is accepted twice, and what was ended stays ended.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { addApiClient } from "../harness/applications.ts";
import { runCommand } from "../harness/command.ts";
import { until, untilHealth } from "../harness/ledger.ts";
import {
	OWN_POSTGRES_SKIPPED,
	type OwnPostgres,
	type OwnStandby,
	startOwnPostgres,
	startStandby,
	startUniquePostgres,
} from "../harness/own-postgres.ts";
import { ADMIN, type Credentials, startTestService, type TestService } from "../harness/service.ts";
import { WHOAMI } from "../harness/signed-wire.ts";

const LOST_CALLS = 20;
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const HEALTH = "/health";

interface HealthBody {
	readonly data: {
		readonly checks: Readonly<Record<string, string>>;
		readonly details?: Readonly<Record<string, string>>;
	};
}

interface SentCall {
	readonly nonce: string;
	readonly timestamp: string;
}

function startOn(urls: readonly string[], dataDir?: string): Promise<TestService> {
	const hosts = urls.map((url) => new URL(url).host).join(",");
	return startTestService({
		...(dataDir === undefined ? {} : { dataDir }),
		env: {
			LATCHKEY_DATABASE_URL: `postgres://latchkey@${hosts}/postgres`,
			LATCHKEY_MASTER_KEY: MASTER_KEY,
			LATCHKEY_LOG_LEVEL: "warn",
		},
	});
}

/** Sends `count` new signed calls, dated up to 280 s ahead, and requires that all are accepted. */
async function acceptCalls(service: TestService, client: Credentials, count: number): Promise<SentCall[]> {
	const sent = Array.from({ length: count }, (_, index) => ({
		nonce: crypto.randomUUID(),
		timestamp: String(Math.floor(service.clock.now() / 1000) + (index % 2) * 280),
	}));
	for (const call of sent)
		assert.equal((await service.signed(client, "GET", WHOAMI, call)).status, 200, "a new call");
	return sent;
}

async function statusesOf(service: TestService, client: Credentials, calls: readonly SentCall[]) {
	const statuses = new Map<number, number>();
	for (const call of calls) {
		const { status } = await service.signed(client, "GET", WHOAMI, call);
		statuses.set(status, (statuses.get(status) ?? 0) + 1);
	}
	return Object.fromEntries(statuses);
}

describe("a primary with a standby that lags", { skip: OWN_POSTGRES_SKIPPED }, () => {
	let primary: OwnPostgres;
	let standby: OwnStandby;
	let service: TestService;
	let client: Credentials;
	let lost: SentCall[];
	let signedOut: string;

	before(async () => {
		primary = await startOwnPostgres();
		service = await startOn([primary.url]);
		client = await addApiClient(service);
		await service.stop();
		standby = await startStandby(primary);
		service = await startOn([primary.url, standby.url]);
		signedOut = await service.tokenOf(ADMIN.username, ADMIN.password);
	});
	after(async () => {
		await service?.stop();
		await standby?.remove();
		await primary?.remove();
	});

	test("accepts no call again after the failover, and keeps ended sessions ended", async () => {
		await standby.stopReceiving();
		lost = await acceptCalls(service, client, LOST_CALLS);
		assert.equal((await service.call("POST", "/api/v1/auth/logout", { token: signedOut })).status, 204);
		primary.signal("SIGKILL");
		await untilHealth(service, 503);
		await standby.promote();
		await untilHealth(service, 200);
		await until("the failover is recorded", () =>
			service.logs().includes("ended 1 sessions and clients again"),
		);
		assert.deepEqual(await statusesOf(service, client, lost), { 503: LOST_CALLS });
		const refused = await service.signed(client, "GET", WHOAMI, { nonce: crypto.randomUUID() });
		assert.equal(refused.status, 503, "a new call within five minutes");
		const retryAfter = Number(refused.headers["retry-after"]);
		assert.ok(retryAfter > 200 && retryAfter <= 302, `Retry-After ${retryAfter}`);
		assert.equal((await service.call("GET", "/api/v1/users/me", { token: signedOut })).status, 401);
		const events = await service.asAdmin("GET", "/api/v1/audit-events?action=installation.failed_over");
		assert.equal(events.length, 1, "one audit event");
	});

	test("never goes back to the old primary", async () => {
		await primary.start();
		await service.stop();
		service = await startOn([primary.url, standby.url]);
		assert.equal((await service.call("GET", HEALTH)).status, 200);
		service.clock.advance(310_000);
		const late = await acceptCalls(service, client, LOST_CALLS);
		assert.deepEqual(await statusesOf(service, client, late), { 401: LOST_CALLS }, "the calls of this node");
		const other = await startOn([primary.url, standby.url]);
		other.clock.advance(310_000);
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
	let first: OwnPostgres;
	let second: OwnPostgres;
	let service: TestService;
	let client: Credentials;
	let sent: SentCall[];

	before(async () => {
		first = await startOwnPostgres();
		second = await startUniquePostgres();
		service = await startOn([first.url]);
		client = await addApiClient(service);
		const copied = `pg_dump "${first.url}" | psql -q -v ON_ERROR_STOP=1 "${second.url}" >/dev/null`;
		await promisify(execFile)("bash", ["-o", "pipefail", "-c", copied]);
		sent = await acceptCalls(service, client, LOST_CALLS);
		await service.stop();
		service = await startOn([second.url]);
	});
	after(async () => {
		await service?.stop();
		await second?.remove();
		await first?.remove();
	});

	test("accepts no call and is unhealthy until the server is accepted", async () => {
		const health = await service.call<HealthBody>("GET", HEALTH);
		assert.equal(health.status, 503);
		assert.match(
			String(health.body.data.details?.database_server),
			/^the server is \d+\/00000001, before \d+\/00000001$/,
		);
		assert.deepEqual(await statusesOf(service, client, sent), { 503: LOST_CALLS });
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
		assert.deepEqual(await statusesOf(service, client, sent), { 503: LOST_CALLS });
		service.clock.advance(310_000);
		assert.deepEqual(await statusesOf(service, client, sent.slice(0, 1)), { 401: 1 }, "too old by now");
		await acceptCalls(service, client, 2);
	});
});
