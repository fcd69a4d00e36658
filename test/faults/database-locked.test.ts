// Another process that holds the write lock: writes wait for it or get 503; reads continue.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, test } from "node:test";
import { REQUESTS, submission } from "../harness/access/access-requests.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { CALLBACK, type ConnectedClient, connect } from "../harness/openid/openid.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type Credentials, startTestService } from "../harness/service/service.ts";

/** Acquires the write lock of the file, reports it, and holds it until its input closes. */
const HOLDER = `
	const { DatabaseSync } = require("node:sqlite");
	const database = new DatabaseSync(process.argv[1], { timeout: 10_000 });
	database.exec("BEGIN IMMEDIATE");
	console.log("held");
	process.stdin.resume().on("end", () => { database.exec("ROLLBACK"); database.close(); });
`;

const service = testService();
let token: string;
let client: Credentials;
let shop: ConnectedClient;
setup(async () => {
	shop = await connect(service);
	token = await service.adminToken();
	client = await addApiClient(service);
});

async function hold(dataDir = service.dataDir): Promise<ChildProcess> {
	const file = join(dataDir, "latchkey.db");
	const holder = spawn(process.execPath, ["-e", HOLDER, file], { stdio: ["pipe", "pipe", "inherit"] });
	const ended = once(holder, "exit").then(() => assert.fail("the holder ended without the lock"));
	await Promise.race([once(holder.stdout, "data"), ended]);
	// The test stops it later.
	ended.catch(() => undefined);
	return holder;
}

async function release(holder: ChildProcess): Promise<void> {
	holder.stdin?.end();
	await once(holder, "exit");
}

/** Pushes an authorization request, which is stored. */
const push = () =>
	service.call<{ readonly error: string }>("POST", "/oauth/par", {
		https: true,
		body: new URLSearchParams({
			client_id: shop.id,
			client_secret: shop.secret,
			response_type: "code",
			redirect_uri: CALLBACK,
			scope: "openid",
			code_challenge: "x".repeat(43),
			code_challenge_method: "S256",
		}).toString(),
		headers: { "content-type": "application/x-www-form-urlencoded" },
	});
const submit = () => service.call("POST", REQUESTS, { body: submission() });

/** Reads while the lock is held: a read that waited for it would be refused. */
async function assertReads(): Promise<void> {
	assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
	assert.equal((await service.call("GET", "/health")).status, 200);
}

describe("another process that writes to the database", () => {
	test("delays writes and no reads while it holds the lock briefly", async () => {
		const holder = await hold();
		const writes = [submit(), submit(), service.signed(client, "GET", "/api/v1/external/whoami")];
		for (let count = 0; count < 10; count++) await assertReads();
		await release(holder);
		const statuses = (await Promise.all(writes)).map((response) => response.status);
		assert.deepEqual(statuses, [201, 201, 200]);
	});

	test("causes 503 for writes and nonces while it holds the lock longer, and the service recovers", async () => {
		const holder = await hold();
		const nonce = crypto.randomUUID();
		const signed = () => service.signed(client, "GET", "/api/v1/external/whoami", { nonce });
		const [pushed, ...refused] = await Promise.all([push(), submit(), signed()]);
		assert.deepEqual([pushed.status, pushed.body.error], [503, "temporarily_unavailable"]);
		assert.ok(Number(pushed.headers["retry-after"]) >= 1);
		for (const response of refused) {
			assert.equal(response.status, 503);
			assert.ok(Number(response.headers["retry-after"]) >= 1);
			assert.deepEqual(response.body, { error: "the database is not available, try again shortly" });
		}
		await assertReads();
		await release(holder);
		assert.equal((await submit()).status, 201);
		assert.equal((await signed()).status, 200);
		assert.equal((await push()).status, 201);
	});

	test("releases its lock when it is killed", async () => {
		const holder = await hold();
		const write = submit();
		holder.kill("SIGKILL");
		assert.equal((await write).status, 201);
	});
});

test("a start refuses a database that it cannot write, and succeeds once it can", async () => {
	using folder = temporaryFolder();
	const dataDir = join(folder.path, "data");
	await (await startTestService({ dataDir })).stop();
	const holder = await hold(dataDir);
	try {
		await assert.rejects(startTestService({ dataDir }), {
			name: "StartError",
			message: /latchkey\.db cannot be used: database is locked$/,
		});
	} finally {
		await release(holder);
	}
	await (await startTestService({ dataDir })).stop();
});
