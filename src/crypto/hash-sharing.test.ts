// Tests which hashes share a thread, and in which order they run when some may not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HashQueue } from "./hash-queue.ts";

const LANES = 3;

/** Every hash runs until the test ends it by name. Hashes with upper-case names may not share. */
function sharedQueue({
	threads = 1,
	isReady = () => true,
}: {
	threads?: number;
	isReady?: (thread: number) => boolean;
} = {}) {
	const queue = new HashQueue({ threads, queueLimit: 20, hashMs: 200, sharing: { lanes: LANES, isReady } });
	const ends = new Map<string, () => void>();
	const places = new Map<string, string>();
	const add = (name: string): void => {
		const work = ({ thread, isShared }: { thread: number; isShared: boolean }): Promise<void> => {
			places.set(name, `${isShared ? "shared" : "alone"} ${thread}`);
			return new Promise((resolve) => ends.set(name, resolve));
		};
		void queue.run("one key", work, name !== name.toUpperCase());
	};
	const end = async (...names: string[]): Promise<void> => {
		for (const name of names) {
			ends.get(name)?.();
			ends.delete(name);
		}
		await new Promise((resolve) => setImmediate(resolve));
	};
	const start = async (...names: string[]): Promise<void> => {
		for (const name of names) add(name);
		await end();
	};
	const running = (): string[] => [...ends.keys()];
	return { queue, places, running, start, end };
}

test("a single hash has its own thread, even after another one", async () => {
	const { places, start, end } = sharedQueue();
	await start("a", "b");
	await end("a");
	await end("b");
	assert.deepEqual(
		[...places],
		[
			["a", "alone 0"],
			["b", "alone 0"],
		],
	);
});

test("hashes that wait together share the thread, and later ones join them", async () => {
	const { queue, places, running, start, end } = sharedQueue();
	await start("a", "b", "c");
	assert.deepEqual(running(), ["a"]);
	await end("a");
	assert.deepEqual(running(), ["b", "c"]);
	await start("d", "e", "f");
	assert.deepEqual(running(), ["b", "c", "d"]);
	assert.deepEqual(queue.load, { running: 3, waiting: 2 });
	await end("c");
	assert.deepEqual(running(), ["b", "d", "e"]);
	assert.deepEqual([...places.values()], ["alone 0", ...Array.from({ length: 4 }, () => "shared 0")]);
});

test("an exclusive hash waits for a free thread, and later ones wait behind it", async () => {
	const { places, running, start, end } = sharedQueue();
	await start("a", "b", "c", "NEW", "d");
	await end("a");
	assert.deepEqual(running(), ["b", "c"]);
	await end("b");
	await start("e");
	assert.deepEqual(running(), ["c"]);
	await end("c");
	assert.deepEqual(running(), ["NEW"]);
	assert.equal(places.get("NEW"), "alone 0");
	await end("NEW");
	assert.deepEqual(running(), ["d", "e"]);
	assert.equal(places.get("e"), "shared 0");
});

test("hashes that may not share do not cause sharing", async () => {
	const { places, running, start, end } = sharedQueue();
	await start("a", "b", "NEW", "NEWER");
	await end("a");
	assert.deepEqual(running(), ["b"]);
	assert.equal(places.get("b"), "alone 0");
});

test("each thread is shared independently", async () => {
	const { places, running, start, end } = sharedQueue({ threads: 2 });
	await start("a", "b", "c", "d", "e", "f");
	await end("b");
	assert.deepEqual(running(), ["a", "c", "d", "e"]);
	await end("a");
	assert.deepEqual(
		["c", "d", "e", "f"].map((name) => places.get(name)),
		["shared 1", "shared 1", "shared 1", "alone 0"],
	);
});

test("a thread that is not ready runs one hash at a time, and only under load", async () => {
	const asked: number[] = [];
	const { running, start, end } = sharedQueue({ isReady: (thread) => asked.push(thread) < 0 });
	await start("a", "b");
	await end("a");
	assert.deepEqual(asked, []);
	await start("c", "d");
	await end("b");
	assert.deepEqual(asked, [0]);
	assert.deepEqual(running(), ["c"]);
});

test("a failed thread accepts no more shared hashes, and then runs one at a time", async () => {
	let isReady = true;
	const { places, running, start, end } = sharedQueue({ isReady: () => isReady });
	await start("a", "b", "c");
	await end("a");
	isReady = false;
	await start("d", "e");
	assert.deepEqual(running(), ["b", "c"]);
	await end("b", "c");
	assert.deepEqual(running(), ["d"]);
	assert.equal(places.get("d"), "alone 0");
});
