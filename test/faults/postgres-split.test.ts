// Two primaries: an old one that was frozen, that a pooler goes back to, or that took a node with it. No signed call is
// accepted on both.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import { until, untilHealth } from "../harness/databases/ledger.ts";
import {
	OWN_POSTGRES_SKIPPED,
	type OwnPostgres,
	type OwnStandby,
	startOwnPostgres,
	startStandby,
} from "../harness/databases/own-postgres.ts";
import { PGBOUNCER_SKIPPED, type Pgbouncer, startPgbouncer } from "../harness/databases/pgbouncer.ts";
import { runCommand } from "../harness/processes/command.ts";
import {
	AFTER_PAUSE_MS,
	acceptCalls,
	countStatuses,
	type HealthBody,
	newCalls,
	type SentCall,
	sessionStatuses,
	settingsOn,
	signIns,
	startOn,
	statusesOf,
} from "../harness/processes/failovers.ts";
import { ownSettings, type ReadyProgram, startProgram } from "../harness/processes/program.ts";
import { createProgramClient, type ProgramClient } from "../harness/processes/program-client.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import type { Credentials, TestService } from "../harness/service/service.ts";

const CALLS = 20;
const SIGN_OUTS = 20;
/** Half of the calls are too old after the pause; the others are dated within it. */
const AFTER_PAUSE = { 401: CALLS / 2, 503: CALLS / 2 };

let primary: OwnPostgres;
let standby: OwnStandby;
let service: TestService;
let client: Credentials;
/** Calls that only the old primary knows. */
let lost: SentCall[];

/** A primary that has an API client, and its standby. */
async function startServers(): Promise<void> {
	primary = await startOwnPostgres();
	const first = await startOn([primary.url]);
	client = await addApiClient(first);
	await first.stop();
	standby = await startStandby(primary);
}

async function removeServers(): Promise<void> {
	await service?.stop();
	await standby?.remove();
	await primary?.remove();
}

/** Ends the pause of these nodes. */
function endPause(...nodes: readonly TestService[]): void {
	for (const { clock } of nodes) clock.advance(AFTER_PAUSE_MS);
}

describe("a primary that hangs", { skip: OWN_POSTGRES_SKIPPED }, () => {
	let other: TestService;
	/** Sent to the frozen primary, which may execute them later. */
	let hanging: SentCall[];

	before(async () => {
		await startServers();
		const urls = [primary.url, standby.url];
		[service, other] = await Promise.all([startOn(urls), startOn(urls)]);
	});
	after(async () => {
		primary?.signalAll("SIGCONT");
		await other?.stop();
		await removeServers();
	});

	test("executes no call that its successor accepts, and none of its own is accepted there", async () => {
		await standby.stopReceiving();
		lost = await acceptCalls(other, client, CALLS);
		primary.signalAll("SIGSTOP");
		hanging = newCalls(service.clock.now(), CALLS);
		assert.deepEqual(await statusesOf(service, client, hanging), { 503: CALLS });
		await standby.promote();
		for (const node of [service, other]) await untilHealth(node, 200);
		primary.signalAll("SIGCONT");
		for (const node of [service, other])
			await until("the node uses the successor", () => node.logs().includes("ended 0 sessions"));
		for (const node of [service, other])
			assert.deepEqual(await statusesOf(node, client, [...lost, ...hanging]), { 503: 2 * CALLS });
	});

	test("stays unused after the pause", async () => {
		endPause(service, other);
		const calls = await acceptCalls(service, client, CALLS);
		assert.deepEqual(await statusesOf(other, client, calls), { 401: CALLS }, "accepted by the other node");
		for (const node of [service, other])
			assert.deepEqual(await statusesOf(node, client, [...lost, ...hanging]), { 401: CALLS, 503: CALLS });
	});
});

describe("a pooler that changes the server beneath its connections", {
	skip: OWN_POSTGRES_SKIPPED || PGBOUNCER_SKIPPED,
}, () => {
	let pooler: Pgbouncer;

	before(async () => {
		await startServers();
		pooler = await startPgbouncer(primary.url);
		service = await startOn([pooler.url]);
	});
	after(async () => {
		await pooler?.remove();
		await removeServers();
	});

	test("has no call accepted again by the promoted standby", async () => {
		await standby.stopReceiving();
		lost = await acceptCalls(service, client, CALLS);
		await standby.promote();
		await pooler.pointTo(standby.url);
		assert.deepEqual(await statusesOf(service, client, lost), { 503: CALLS });
		await until("the failover is recorded", () => service.logs().includes("the database failed over"));
		assert.deepEqual(await statusesOf(service, client, lost), { 503: CALLS });
		assert.doesNotMatch(service.logs(), /the database is not available/, "the connections are kept");
	});

	test("has no call accepted by the old primary, to which it goes back", async () => {
		await pooler.pointTo(primary.url);
		assert.deepEqual(await statusesOf(service, client, newCalls(service.clock.now(), CALLS)), { 503: CALLS });
		await untilHealth(service, 503);
		const { body } = await service.call<HealthBody>("GET", "/health");
		assert.match(
			String(body.data.details?.database_server),
			/^the server is \d+\/00000001, before \d+\/00000002$/,
		);
	});

	test("has each call accepted once by the successor after the pause", async () => {
		await pooler.pointTo(standby.url);
		await untilHealth(service, 200);
		endPause(service);
		const calls = await acceptCalls(service, client, CALLS);
		assert.deepEqual(await statusesOf(service, client, calls), { 401: CALLS });
		assert.deepEqual(await statusesOf(service, client, lost), AFTER_PAUSE);
	});
});

describe("a node that dies with its primary", { skip: OWN_POSTGRES_SKIPPED }, () => {
	const folder = lastingFolder();
	let doomed: ReadyProgram;
	let doomedClient: ProgramClient;
	let signedOut: string[];
	let beforeLossMs: number;

	before(async () => {
		await startServers();
		const urls = [primary.url, standby.url];
		service = await startOn(urls);
		doomed = await startProgram({ env: { ...(await ownSettings(folder)), ...settingsOn(urls) } });
		doomedClient = createProgramClient(doomed);
		signedOut = await signIns(service, SIGN_OUTS);
	});
	after(async () => {
		doomedClient?.close();
		await doomed?.end();
		await removeServers();
	});

	test("leaves no call that another node accepts again", async () => {
		await standby.stopReceiving();
		beforeLossMs = Date.now();
		lost = newCalls(beforeLossMs, CALLS);
		assert.deepEqual(await statusesOf(doomedClient, client, lost), { 200: CALLS });
		const signOuts = signedOut.map((token) => doomedClient.call("POST", "/api/v1/auth/logout", { token }));
		assert.deepEqual(countStatuses(await Promise.all(signOuts)), { 204: SIGN_OUTS });
		doomed.kill("SIGKILL");
		primary.signal("SIGKILL");
		await untilHealth(service, 503);
		await standby.promote();
		await until("the failover is recorded", () => service.logs().includes("the database failed over"));
		assert.deepEqual(await statusesOf(service, client, lost), { 503: CALLS });
		endPause(service);
		assert.deepEqual(await statusesOf(service, client, lost), AFTER_PAUSE);
	});

	test("leaves sessions that fence ends, and no others", async () => {
		assert.deepEqual(await sessionStatuses(service, signedOut), { 200: SIGN_OUTS }, "no node knows");
		const env = settingsOn([standby.url]);
		const since = new Date(beforeLossMs).toISOString();
		const fenced = await runCommand(["fence", "--since", since], { env });
		assert.equal(fenced.code, 0, fenced.stderr);
		assert.deepEqual(await sessionStatuses(service, signedOut), { 401: SIGN_OUTS });
	});
});
