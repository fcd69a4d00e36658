import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as bcrypt from "@node-rs/bcrypt";
import { LaneThread } from "../src/lane-thread.ts";

const PASSWORD = "Café 密码";
const HASH = bcrypt.hashSync(PASSWORD, 5);

async function readyThread(report: (error: Error) => void): Promise<LaneThread> {
	const thread = new LaneThread(report);
	while (!thread.isReady()) await new Promise((resolve) => setTimeout(resolve, 5));
	return thread;
}

const neverFails = (error: Error): never => {
	throw error;
};

describe("a thread with lanes", () => {
	test("starts at the first call, and accepts no hash before it is ready", () => {
		const thread = new LaneThread(neverFails);
		assert.equal(thread.takes(HASH), false);
		assert.equal(thread.isReady(), false);
		assert.equal(thread.takes(HASH), false);
	});

	test("verifies right and wrong passwords, concurrently and in sequence", async () => {
		const thread = await readyThread(neverFails);
		for (let round = 0; round < 5; round++) {
			const responses = [PASSWORD, "wrong", `${PASSWORD}!`].map((text) => thread.verify(text, HASH));
			assert.deepEqual(await Promise.all(responses), [true, false, false]);
		}
	});

	test("reads 72 bytes, as the library does", async () => {
		const thread = await readyThread(neverFails);
		const long = "é".repeat(40);
		const hash = bcrypt.hashSync(long, 4);
		assert.equal(await thread.verify("é".repeat(36), hash), true);
		assert.equal(await thread.verify("é".repeat(35), hash), false);
		assert.equal(await thread.verify(long, hash), true);
	});

	test("accepts no text that is not a hash", async () => {
		const thread = await readyThread(neverFails);
		assert.equal(thread.takes(HASH), true);
		assert.equal(thread.takes("$2b$05$short"), false);
		assert.equal(thread.takes(HASH.replace("$2b$", "$2x$")), false);
	});

	test("reports a failure once, rejects pending hashes, and is not used again", async () => {
		const reported: Error[] = [];
		const thread = await readyThread((error) => reported.push(error));
		const waiting = thread.verify(PASSWORD, HASH);
		const breaking = thread.verify(PASSWORD, "not a hash");
		await Promise.all([assert.rejects(waiting, /not a bcrypt hash/), assert.rejects(breaking)]);
		assert.equal(thread.isReady(), false);
		assert.equal(thread.takes(HASH), false);
		await assert.rejects(thread.verify(PASSWORD, HASH), /has failed/);
		await new Promise((resolve) => setTimeout(resolve, 50));
		assert.equal(reported.length, 1);
	});
});
