// Another process that holds the database: writes wait for it, or are refused with 503; reads go on.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { REQUESTS, submission } from "../harness/access-requests.ts";
import { addApiClient } from "../harness/applications.ts";
import { type Credentials, startTestService, type TestService } from "../harness/service.ts";

/** Takes the write lock of the file it is given, says so, and holds it until its input ends. */
const HOLDER = `
	const { DatabaseSync } = require("node:sqlite");
	const database = new DatabaseSync(process.argv[1], { timeout: 10_000 });
	database.exec("BEGIN IMMEDIATE");
	console.log("held");
	process.stdin.resume().on("end", () => { database.exec("ROLLBACK"); database.close(); });
`;

let service: TestService;
let token: string;
let client: Credentials;
before(async () => {
	service = await startTestService();
	token = await service.adminToken();
	client = await addApiClient(service);
});
after(() => service.stop());

async function hold(): Promise<ChildProcess> {
	const file = join(service.dataDir, "latchkey.db");
	const holder = spawn(process.execPath, ["-e", HOLDER, file], { stdio: ["pipe", "pipe", "inherit"] });
	const ended = once(holder, "exit").then(() => assert.fail("the holder ended without the lock"));
	await Promise.race([once(holder.stdout, "data"), ended]);
	// The test ends it later.
	ended.catch(() => undefined);
	return holder;
}

async function release(holder: ChildProcess): Promise<void> {
	holder.stdin?.end();
	await once(holder, "exit");
}

const submit = () => service.call("POST", REQUESTS, { body: submission() });

async function assertReads(): Promise<void> {
	const began = performance.now();
	assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
	assert.equal((await service.call("GET", "/health")).status, 200);
	assert.ok(performance.now() - began < 1_000, "reads waited for the other process");
}

describe("a database that another process writes to", () => {
	test("for a moment: writes wait for it, and reads do not", async () => {
		const holder = await hold();
		const writes = [submit(), submit(), service.signed(client, "GET", "/api/v1/external/whoami")];
		for (let count = 0; count < 10; count++) await assertReads();
		await release(holder);
		const statuses = (await Promise.all(writes)).map((answer) => answer.status);
		assert.deepEqual(statuses, [201, 201, 200]);
	});

	test("for longer: writes are 503, no nonce is accepted, and the service recovers at the end", async () => {
		const holder = await hold();
		const nonce = crypto.randomUUID();
		const signed = () => service.signed(client, "GET", "/api/v1/external/whoami", { nonce });
		const refused = await Promise.all([submit(), signed()]);
		for (const answer of refused) {
			assert.equal(answer.status, 503);
			assert.ok(Number(answer.headers["retry-after"]) >= 1);
			assert.deepEqual(answer.body, { error: "the database is not available, try again shortly" });
		}
		await assertReads();
		await release(holder);
		assert.equal((await submit()).status, 201);
		assert.equal((await signed()).status, 200);
	});

	test("and dies: its lock is released", async () => {
		const holder = await hold();
		const write = submit();
		holder.kill("SIGKILL");
		assert.equal((await write).status, 201);
	});
});
