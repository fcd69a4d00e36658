// A full disk: writes return 503, reads continue, no acknowledged write is lost, and free space is enough to recover.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { QUEUE, REQUESTS, submission } from "../harness/access/access-requests.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { fill, mountSmallDisk, unmount } from "../harness/databases/small-disk.ts";
import {
	type CallResponse,
	type Credentials,
	startTestService,
	type TestService,
} from "../harness/service/service.ts";

const WHOAMI = "/api/v1/external/whoami";
const UNAVAILABLE = { error: "the database is not available, try again shortly" };

function assertUnavailable(response: CallResponse, what: string): void {
	assert.equal(response.status, 503, what);
	assert.deepEqual(response.body, UNAVAILABLE);
	assert.ok(Number(response.headers["retry-after"]) >= 1, what);
}

/** Submits until no space is left for another request. @returns the acknowledged ids */
async function submitUntilFull(service: TestService): Promise<string[]> {
	const acknowledged: string[] = [];
	for (let count = 0; count < 2_000; count++) {
		const response = await service.call("POST", REQUESTS, {
			body: submission({ purpose: "p".repeat(2_000) }),
		});
		if (response.status !== 201) {
			assertUnavailable(response, "a submission");
			return acknowledged;
		}
		acknowledged.push(response.body.id);
	}
	throw new Error("the disk never filled up");
}

/** Claims nonces, the smallest writes, until one is refused: they may fit where a submission does not. */
async function claimUntilFull(service: TestService, client: Credentials): Promise<void> {
	for (let count = 0; count < 2_000; count++) {
		const response = await service.signed(client, "GET", WHOAMI);
		if (response.status !== 200) return assertUnavailable(response, "a nonce");
	}
	throw new Error("the disk never filled up");
}

async function checkWhileFull(service: TestService, token: string, client: Credentials): Promise<void> {
	for (const path of ["/api/v1/users/me", "/api/v1/users", QUEUE, "/api/v1/api-clients"])
		assert.equal((await service.call("GET", path, { token })).status, 200, path);
	// Reads work, and writes report their own errors: the health check does not write.
	assert.equal((await service.call("GET", "/health")).status, 200);
	const login = { username: "admin", password: "correct horse battery staple" };
	assertUnavailable(await service.call("POST", "/api/v1/auth/login", { body: login }), "a sign-in");
	// The rolled-back writes of the sign-in leave room for smaller ones.
	await claimUntilFull(service, client);
	assert.equal((await service.signed({ ...client, secret: "sk_x" }, "GET", WHOAMI)).status, 401);
	assertUnavailable(await service.call("POST", "/api/v1/auth/logout", { token }), "a sign-out");
	assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
}

test("a full disk refuses writes, serves reads, and recovers by itself", async (t) => {
	const disk = mountSmallDisk();
	if (disk === undefined) {
		t.skip("needs permission to mount a small file system");
		return;
	}
	const service = await startTestService({ dataDir: join(disk, "data") });
	const ballast = join(disk, "ballast");
	try {
		const token = await service.adminToken();
		const client = await addApiClient(service);
		const before = await service.call("POST", REQUESTS, { body: submission() });
		await service.mailsTo(before.body.email);
		fill(ballast, 1 << 20);
		const acknowledged = [before.body.id, ...(await submitUntilFull(service))];
		await claimUntilFull(service, client);
		await checkWhileFull(service, token, client);

		rmSync(ballast);
		const body = submission();
		const after = await service.call("POST", REQUESTS, { body });
		assert.equal(after.status, 201);
		assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
		const fresh = await service.tokenOf("admin", "correct horse battery staple");
		acknowledged.push(after.body.id);
		for (const id of acknowledged)
			assert.equal((await service.call("GET", `${QUEUE}/${id}`, { token: fresh })).status, 200, id);
		const { total } = (await service.call("GET", QUEUE, { token: fresh })).body;
		assert.equal(total, acknowledged.length);
		assert.equal((await service.mailsTo(String(body.email))).length, 1);
		t.diagnostic(`${acknowledged.length} access requests acknowledged, ${total} found`);
	} finally {
		// A failing stop on the full disk would hide the first error.
		rmSync(ballast, { force: true });
		await service.stop().finally(() => unmount(disk));
	}
});
