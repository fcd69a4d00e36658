import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../kernel/error.ts";
import { HashQueue } from "./hash-queue.ts";

/** Work that ends when it is told to. */
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

test("no more run at once than there are threads, in the order they came", async () => {
	const queue = new HashQueue({ threads: 2, queueLimit: 100, hashMs: 200 });
	const begun: number[] = [];
	let running = 0;
	let most = 0;
	const jobs = Array.from({ length: 20 }, (_, index) =>
		queue.run(async () => {
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

test("after a queue has drained there are as many threads as before", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 10, hashMs: 1 });
	await Promise.all(Array.from({ length: 10 }, () => queue.run(async () => undefined)));
	const { opened, open } = gate();
	const begun: string[] = [];
	const first = queue.run(() => {
		begun.push("first");
		return opened;
	});
	const second = queue.run(async () => {
		begun.push("second");
	});
	await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual(begun, ["first"]);
	open();
	await Promise.all([first, second]);
	assert.deepEqual(begun, ["first", "second"]);
});

test("beyond the queue it is refused at once, with the time the queue takes to drain", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 24, hashMs: 200 });
	const { opened, open } = gate();
	const jobs = Array.from({ length: 25 }, () => queue.run(() => opened));
	let begun = false;
	const refused = queue.run(async () => {
		begun = true;
	});
	await assert.rejects(refused, overloaded(5));
	assert.equal(begun, false);
	open();
	await Promise.all(jobs);
	assert.equal(await queue.run(async () => "served again"), "served again");
});

test("whether there is room can be asked before", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 1, hashMs: 200 });
	const { opened, open } = gate();
	queue.checkRoom();
	const running = queue.run(() => opened);
	queue.checkRoom();
	const waiting = queue.run(() => opened);
	assert.throws(() => queue.checkRoom(), overloaded(1));
	open();
	await Promise.all([running, waiting]);
	queue.checkRoom();
});

test("work that fails frees its thread", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 1, hashMs: 1 });
	const failing = queue.run(() => Promise.reject(new Error("broken")));
	const waiting = queue.run(async () => "fine");
	await assert.rejects(failing, /broken/);
	assert.equal(await waiting, "fine");
	await assert.rejects(
		queue.run(() => {
			throw new Error("thrown");
		}),
		/thrown/,
	);
	assert.equal(await queue.run(async () => "fine"), "fine");
});

test("without a queue only what can run is taken, and a refusal says one second at least", async () => {
	const queue = new HashQueue({ threads: 1, queueLimit: 0, hashMs: 1 });
	const { opened, open } = gate();
	const running = queue.run(() => opened);
	await assert.rejects(
		queue.run(async () => undefined),
		overloaded(1),
	);
	open();
	await running;
});

test("threads and queue must be possible", () => {
	assert.throws(() => new HashQueue({ threads: 0, queueLimit: 1, hashMs: 1 }), RangeError);
	assert.throws(() => new HashQueue({ threads: 1, queueLimit: -1, hashMs: 1 }), RangeError);
});
