import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../kernel/error.ts";
import { HashQueue } from "./hash-queue.ts";

const KEY = "192.0.2.1";

/** Work that ends on request. */
function gate() {
	let open = (): void => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { opened, open: () => open() };
}

function overloaded(retryAfterSeconds: number) {
	return (error: unknown) => {
		assert.ok(error instanceof AppError);
		assert.equal(error.code, "service.overloaded");
		assert.equal(error.kind, "unavailable");
		assert.equal(error.retryAfterSeconds, retryAfterSeconds);
		return true;
	};
}

test("hashes run one per thread, in order of arrival", async () => {
	const queue = new HashQueue({ threads: 2, queueLimit: 100, hashMs: 200 });
	const begun: number[] = [];
	let running = 0;
	let most = 0;
	const jobs = Array.from({ length: 20 }, (_, index) =>
		queue.run(KEY, async () => {
			begun.push(index);
			running += 1;
			most = Math.max(most, running);
			await new Promise((resolve) => setImmediate(resolve));
			running -= 1;
			return index;
		}),
	);
	const order = Array.from({ length: 20 }, (_, index) => index);
	assert.deepEqual(await Promise.all(jobs), order);
	assert.deepEqual(begun, order);
	assert.equal(most, 2);
});

test("after the queue has drained, all threads are free again", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 10, hashMs: 1 });
	await Promise.all(Array.from({ length: 10 }, () => queue.run(KEY, async () => undefined)));
	const { opened, open } = gate();
	const begun: string[] = [];
	const first = queue.run(KEY, () => {
		begun.push("first");
		return opened;
	});
	const second = queue.run(KEY, async () => {
		begun.push("second");
	});
	await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual(begun, ["first"]);
	open();
	await Promise.all([first, second]);
	assert.deepEqual(begun, ["first", "second"]);
});

test("a full queue refuses immediately, with the time that the queue takes to drain", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 24, hashMs: 200 });
	const { opened, open } = gate();
	const jobs = Array.from({ length: 25 }, () => queue.run(KEY, () => opened));
	let begun = false;
	const refused = queue.run(KEY, async () => {
		begun = true;
	});
	await assert.rejects(refused, overloaded(5));
	assert.equal(begun, false);
	open();
	await Promise.all(jobs);
	assert.equal(await queue.run(KEY, async () => "served again"), "served again");
});

test("checkRoom tells in advance whether there is room", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 1, hashMs: 200 });
	const { opened, open } = gate();
	queue.checkRoom(KEY);
	const running = queue.run(KEY, () => opened);
	queue.checkRoom(KEY);
	const waiting = queue.run(KEY, () => opened);
	assert.throws(() => queue.checkRoom(KEY), overloaded(1));
	open();
	await Promise.all([running, waiting]);
	queue.checkRoom(KEY);
});

test("work that fails frees its thread", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 1, hashMs: 1 });
	const failing = queue.run(KEY, () => Promise.reject(new Error("broken")));
	const waiting = queue.run(KEY, async () => "fine");
	await assert.rejects(failing, /broken/);
	assert.equal(await waiting, "fine");
	await assert.rejects(
		queue.run(KEY, () => {
			throw new Error("thrown");
		}),
		/thrown/,
	);
	assert.equal(await queue.run(KEY, async () => "fine"), "fine");
});

test("without a queue, only hashes that can run are accepted, and Retry-After is at least one second", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 0, hashMs: 1 });
	const { opened, open } = gate();
	const running = queue.run(KEY, () => opened);
	await assert.rejects(
		queue.run(KEY, async () => undefined),
		overloaded(1),
	);
	open();
	await running;
});

test("invalid numbers of threads and queue slots are refused", () => {
	assert.throws(() => new HashQueue({ threads: 0, queueLimit: 1, hashMs: 1 }), RangeError);
	assert.throws(() => new HashQueue({ threads: 1, queueLimit: -1, hashMs: 1 }), RangeError);
});

/** One thread, held until `open`; records which hash begins when. */
function heldQueue(queueLimit: number) {
	const queue = new HashQueue({ threads: 1, queueLimit, hashMs: 200 });
	const { opened, open } = gate();
	const begun: string[] = [];
	const held = queue.run("held", () => opened);
	const add = (key: string): Promise<string> =>
		queue
			.run(key, async () => {
				begun.push(key);
				return "hashed";
			})
			.catch((error: unknown) => (error instanceof AppError ? error.code : Promise.reject(error)));
	const release = (): Promise<void> => {
		open();
		return held;
	};
	return { queue, add, begun, open: release };
}

test("keys take turns, and a new key does not wait for the backlog of others", async () => {
	const { add, begun, open } = heldQueue(20);
	const jobs = ["a", "a", "a", "b", "b", "c"].map(add);
	await open();
	await Promise.all(jobs);
	assert.deepEqual(begun, ["a", "b", "c", "a", "b", "a"]);
});

test("a key without a recent turn goes before keys that had one", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 20, hashMs: 200 });
	const begun: string[] = [];
	const jobs: Promise<unknown>[] = [];
	const add = (key: string, then?: () => void) =>
		jobs.push(
			queue.run(key, async () => {
				begun.push(key);
				then?.();
			}),
		);
	for (const key of ["a", "b", "c", "a", "b"]) add(key, key === "c" ? () => add("new") : undefined);
	add("c");
	while (begun.length < 7) await Promise.all(jobs);
	assert.deepEqual(begun, ["a", "b", "c", "new", "a", "b", "c"]);
});

test("a stream of new keys delays a key for at most one full queue", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 4, hashMs: 200 });
	let turns = 0;
	let turnOfOld = 0;
	let arrivals = 0;
	const jobs: Promise<unknown>[] = [];
	const arrive = (): void => {
		if (++arrivals >= 40) return;
		const work = async (): Promise<void> => {
			turns++;
			arrive();
		};
		jobs.push(queue.run(`new ${arrivals}`, work));
	};
	jobs.push(queue.run("old", async () => void turns++));
	arrive();
	arrive();
	const second = async (): Promise<void> => {
		turnOfOld = ++turns;
	};
	jobs.push(queue.run("old", second));
	while (arrivals < 40) await Promise.all(jobs);
	await Promise.all(jobs);
	assert.ok(turnOfOld > 0 && turnOfOld <= 8, `turn ${turnOfOld}`);
});

test("twelve keys without restraint hold two slots each, and a thirteenth goes next", async () => {
	const { queue, add, begun, open } = heldQueue(25);
	const keys = Array.from({ length: 12 }, (_, index) => `busy ${index}`);
	const busy = Array.from({ length: 10 }, () => keys.map(add)).flat();
	assert.equal(queue.load.waiting, 25);
	assert.throws(() => queue.checkRoom("busy 5"), overloaded(6));
	queue.checkRoom("quiet");
	const quiet = [add("quiet"), add("quiet")];
	assert.equal(queue.load.waiting, 25);
	await open();
	assert.deepEqual(await Promise.all(quiet), ["hashed", "service.overloaded"]);
	const outcomes = await Promise.all(busy);
	assert.equal(outcomes.filter((outcome) => outcome === "hashed").length, 24);
	assert.ok(begun.indexOf("quiet") <= 12, `turn ${begun.indexOf("quiet")}`);
	for (const key of keys) assert.equal(begun.filter((other) => other === key).length, 2, key);
});

test("a single key may fill the queue, and loses slots to others", async () => {
	const { add, open } = heldQueue(6);
	const alone = Array.from({ length: 6 }, () => add("alone"));
	const others = ["b", "b", "b", "b", "c"].map(add);
	await open();
	assert.deepEqual(
		(await Promise.all(alone)).map((outcome) => outcome === "hashed"),
		[true, true, true, false, false, false],
	);
	const outcomes = await Promise.all(others);
	assert.deepEqual(
		outcomes.map((outcome) => outcome === "hashed"),
		[true, true, false, false, true],
	);
});
