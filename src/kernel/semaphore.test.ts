import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Semaphore } from "./semaphore.ts";

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	return Promise.race([
		promise.then(() => true),
		new Promise<false>((resolve) => setImmediate(resolve, false)),
	]);
}

describe("Semaphore", () => {
	it("admits callers up to its limit, then the others in order of arrival", async () => {
		const semaphore = new Semaphore(2);
		const acquired = [semaphore.acquire(), semaphore.acquire(), semaphore.acquire(), semaphore.acquire()];
		const states = () => Promise.all(acquired.map(isSettled));
		assert.deepEqual(await states(), [true, true, false, false]);
		assert.equal(semaphore.waiting, 2);
		(await acquired[1])?.();
		assert.deepEqual(await states(), [true, true, true, false]);
	});

	it("releases once, however often it is called", async () => {
		const semaphore = new Semaphore(1);
		const release = await semaphore.acquire();
		const [second, third] = [semaphore.acquire(), semaphore.acquire()];
		release();
		release();
		assert.equal(await isSettled(second), true);
		assert.equal(await isSettled(third), false);
	});

	it("removes a waiter whose signal aborts", async () => {
		const semaphore = new Semaphore(1);
		const release = await semaphore.acquire();
		const abort = new AbortController();
		const left = semaphore.acquire(abort.signal);
		const next = semaphore.acquire();
		abort.abort(new Error("stopped"));
		await assert.rejects(left, /stopped/);
		await assert.rejects(semaphore.acquire(abort.signal), /stopped/);
		assert.equal(semaphore.waiting, 1);
		release();
		assert.equal(await isSettled(next), true);
	});

	it("refuses a limit below 1", () => {
		assert.throws(() => new Semaphore(0), RangeError);
	});
});
