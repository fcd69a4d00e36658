import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NonceTable } from "./claimed-nonces.ts";

const BASE = 1_800_000_000;
const ROOM = 0.88 * 1_024;
const other = (low: number): number => (low ^ 1) >>> 0;
const word = (): number => Math.floor(Math.random() * 2 ** 32);

describe("NonceTable", () => {
	it("matches a Map through growth, floors, and removals", () => {
		const table = new NonceTable();
		const added = new Map<string, readonly [high: number, low: number, seconds: number]>();
		let floor = BASE;
		for (let step = 0; step < 40_000; step++) {
			const entry = [word(), word(), BASE + Math.floor(step / 20)] as const;
			table.add(...entry, floor);
			if (step % 7 === 0) table.forget(...entry);
			else added.set(entry.join(), entry);
			if (step % 1_000 === 0) floor = BASE + Math.floor(step / 20) - 300;
		}
		for (const [high, low, seconds] of added.values()) {
			assert.equal(table.has(high, low, floor), seconds > floor);
			assert.equal(table.has(high, other(low), floor), added.has([high, other(low), seconds].join()));
		}
	});

	it("finds entries after a removed slot, and with the smallest and largest words", () => {
		const table = new NonceTable();
		for (const low of [0, 2 ** 32 - 1]) {
			for (const high of [0, 1, 2 ** 32 - 1]) table.add(high, low, BASE, 0);
			table.forget(1, low, BASE);
			assert.deepEqual(
				[0, 1, 2, 2 ** 32 - 1].map((high) => table.has(high, low, 0)),
				[true, false, false, true],
			);
		}
	});

	it("finds only entries above the given floor, and drops entries only when the floor is raised", () => {
		const table = new NonceTable();
		table.add(1, 2, BASE, 0);
		assert.equal(table.has(1, 2, BASE - 1), true);
		assert.equal(table.has(1, 2, BASE), false);
		for (let count = 0; count < 5 * ROOM; count++) table.add(word(), word(), BASE + 1, 0);
		assert.equal(table.has(1, 2, BASE - 1), true);
	});

	it("does not grow while entries expire as fast as they arrive, and shrinks afterwards", () => {
		const table = new NonceTable();
		const fill = (seconds: number, count: number, keptSeconds: number) => {
			for (let made = 0; made < count; made++) table.add(word(), word(), seconds, seconds - keptSeconds);
		};
		for (let second = 0; second < 20; second++) fill(BASE + second, 1_000, 20);
		const { bytes } = table;
		assert.ok(bytes <= (20_000 / 0.8 + 1_024) * 12, `${bytes} bytes`);
		for (let second = 20; second < 200; second++) fill(BASE + second, 1_000, 20);
		assert.ok(table.bytes <= bytes * 1.1, `${table.bytes} bytes after ${bytes}`);
		for (let second = 200; second < 1_000; second++) fill(BASE + second, 10, 20);
		assert.ok(table.bytes < bytes / 5, `${table.bytes} bytes at the end`);
	});

	it("refuses a time that does not fit, which would look like an old one", () => {
		const table = new NonceTable();
		for (const seconds of [-1, 0, 2 ** 32 - 1, 2 ** 32])
			assert.throws(() => table.add(1, 2, seconds, 0), {
				name: "RangeError",
				message: "signedAtSeconds must be 1 to 4294967294",
			});
		for (const seconds of [1, 2 ** 32 - 2]) {
			table.add(seconds, 2, seconds, 0);
			assert.equal(table.has(seconds, 2, seconds - 1), true);
		}
	});
});
