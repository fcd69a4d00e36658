import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { KeyedSemaphore, Semaphore } from "./semaphore.ts";

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

/** Runs the given number of callers per key, and returns the peak concurrency, per key and overall. */
async function most(limit: number, callers: Readonly<Record<string, number>>) {
	const places = new KeyedSemaphore(limit);
	const running = new Map<string, number>();
	const highest = new Map<string, number>();
	const note = (key: string, change: number): void => {
		running.set(key, (running.get(key) ?? 0) + change);
		highest.set(key, Math.max(highest.get(key) ?? 0, running.get(key) ?? 0));
	};
	const work = (key: string) => async (): Promise<void> => {
		for (const name of [key, "all"]) note(name, 1);
		await new Promise((resolve) => setImmediate(resolve));
		for (const name of [key, "all"]) note(name, -1);
	};
	const runs = Object.entries(callers).flatMap(([key, count]) =>
		Array.from({ length: count }, () => places.run(key, work(key))),
	);
	assert.equal(places.size, Object.keys(callers).length);
	await Promise.all(runs);
	assert.equal(places.size, 0, "keys without callers are removed");
	return Object.fromEntries(highest);
}

describe("slots by key", () => {
	test("limit the callers of one key, not those of others", async () => {
		assert.deepEqual(await most(2, { a: 9, b: 1, c: 3 }), { a: 2, b: 1, c: 2, all: 5 });
	});

	test("are taken in the order of arrival", async () => {
		const places = new KeyedSemaphore(1);
		const done: number[] = [];
		await Promise.all([1, 2, 3].map((number) => places.run("a", async () => void done.push(number))));
		assert.deepEqual(done, [1, 2, 3]);
	});

	test("become free when work fails, with its error", async () => {
		const places = new KeyedSemaphore(1);
		const failing = places.run("a", () => Promise.reject(new Error("lost")));
		const next = places.run("a", async () => "next");
		await assert.rejects(failing, { message: "lost" });
		assert.equal(await next, "next");
		assert.equal(places.size, 0);
	});
});
