import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { flushAll, WriteBehind } from "./write-behind.ts";

interface Count {
	readonly of: string;
	readonly times: number;
}

/** A buffer of counts whose writes fail while `failure` is set. */
function countsBehind(max = 100) {
	const written: Count[][] = [];
	const dropped: Count[] = [];
	const database: { failure?: Error | undefined; during?: (() => void) | undefined } = {};
	const buffer = new WriteBehind<Count>({
		name: "counts",
		max,
		merge: (earlier, later) => ({ of: later.of, times: earlier.times + later.times }),
		async write(entries) {
			database.during?.();
			await Promise.resolve();
			if (database.failure !== undefined) throw database.failure;
			written.push([...entries]);
		},
		onDrop: (entry) => dropped.push(entry),
	});
	const count = (...names: string[]) => {
		for (const of of names) buffer.record(of, { of, times: 1 });
	};
	return { buffer, written, dropped, database, count };
}

const asText = (entries: Iterable<Count>) => [...entries].map(({ of, times }) => `${of}:${times}`).join(" ");

describe("WriteBehind", () => {
	it("writes the merged entries once, and nothing when there are none", async () => {
		const { buffer, written, count } = countsBehind();
		await buffer.flush();
		count("a", "b", "a");
		await buffer.flush();
		await buffer.flush();
		assert.deepEqual(written.map(asText), ["a:2 b:1"]);
	});

	it("keeps the entries of failed flushes and merges them with newer ones", async () => {
		const { buffer, written, database, count } = countsBehind();
		database.failure = new Error("away");
		database.during = () => count("a", "c");
		count("a", "b");
		await assert.rejects(buffer.flush(), /away/);
		await assert.rejects(buffer.flush(), /away/);
		database.failure = undefined;
		database.during = undefined;
		await buffer.flush();
		assert.deepEqual(written.map(asText), ["a:3 b:1 c:2"]);
	});

	it("drops the oldest entries above its maximum, and counts them", async () => {
		const { buffer, written, dropped, count } = countsBehind(3);
		count("a", "b", "c", "a", "d", "a");
		assert.equal(asText(dropped), "a:2 b:1");
		assert.equal(buffer.dropped, 2);
		await buffer.flush();
		count("e", "f", "g", "h");
		await buffer.flush();
		assert.deepEqual(written.map(asText), ["c:1 d:1 a:1", "f:1 g:1 h:1"]);
		assert.equal(buffer.dropped, 3);
	});

	it("drops entries of a failed flush before newer ones", async () => {
		const { buffer, written, dropped, database, count } = countsBehind(3);
		database.failure = new Error("away");
		database.during = () => count("d", "e");
		count("a", "b", "c");
		await assert.rejects(buffer.flush());
		assert.equal(asText(dropped), "a:1 b:1");
		assert.equal(buffer.dropped, 2);
		database.failure = undefined;
		database.during = undefined;
		await buffer.flush();
		assert.deepEqual(written.map(asText), ["c:1 d:1 e:1"]);
	});

	it("stays within its maximum in a flood that lasts while the database is unavailable", async () => {
		const { buffer, written, dropped, database } = countsBehind(1_000);
		database.failure = new Error("away");
		for (let n = 0; n < 20_000; n++) {
			buffer.record(`key ${n}`, { of: `key ${n}`, times: 1 });
			if (n % 3_000 === 0) await assert.rejects(buffer.flush());
		}
		database.failure = undefined;
		await buffer.flush();
		const [left = []] = written;
		assert.deepEqual([left.length, left[0]?.of, left.at(-1)?.of], [1_000, "key 19000", "key 19999"]);
		assert.deepEqual([buffer.dropped, dropped.length], [19_000, 19_000]);
	});
});

describe("flushAll", () => {
	it("flushes every buffer, and reports every failure", async () => {
		const [one, two, three] = [countsBehind(), countsBehind(), countsBehind()];
		for (const { count } of [one, two, three]) count("a");
		one.database.failure = new Error("first");
		two.database.failure = new Error("second");
		await assert.rejects(flushAll([one.buffer, two.buffer], [three.buffer]), (error) => {
			assert.ok(error instanceof AggregateError);
			assert.deepEqual(
				error.errors.map(({ message }) => message),
				["first", "second"],
			);
			return true;
		});
		assert.deepEqual(three.written.map(asText), ["a:1"]);
	});
});
