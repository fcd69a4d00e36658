import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentMap } from "./recent-map.ts";

test("it never holds more than its capacity", () => {
	const map = new RecentMap<number>(10);
	for (let n = 0; n < 1000; n++) {
		map.set(`key ${n}`, n);
		assert.ok(map.size <= 10);
	}
	assert.equal(map.find("key 999"), 999);
	assert.equal(map.find("key 0"), undefined);
});

test("entries in use stay, others are evicted", () => {
	const map = new RecentMap<number>(10);
	map.set("wanted", 1);
	map.set("unwanted", 2);
	for (let n = 0; n < 1000; n++) {
		map.set(`key ${n}`, n);
		assert.equal(map.find("wanted"), 1);
	}
	assert.equal(map.find("unwanted"), undefined);
});

test("a replaced or deleted value does not return from the old generation", () => {
	const map = new RecentMap<number>(4);
	map.set("a", 1);
	map.set("b", 2);
	map.set("c", 3);
	map.set("a", 10);
	assert.equal(map.find("a"), 10);
	map.set("d", 4);
	assert.equal(map.find("a"), 10);
	map.delete("a");
	assert.equal(map.find("a"), undefined);
});

test("a capacity below two is refused", () => {
	for (const capacity of [1, 0, -1, 2.5, Number.NaN])
		assert.throws(() => new RecentMap(capacity), RangeError);
});

test("entries that weigh too much for the map evict others before it is full", () => {
	const map = new RecentMap<number>(1000, { max: 100, of: (weight) => weight });
	for (let n = 0; n < 1000; n++) {
		map.set(`key ${n}`, 10);
		assert.ok(map.size <= 10);
	}
	assert.equal(map.find("key 999"), 10);
	assert.equal(map.find("key 0"), undefined);
});

test("a value that replaces a lighter one counts with its own weight", () => {
	const map = new RecentMap<number>(1000, { max: 100, of: (weight) => weight });
	for (let n = 0; n < 1000; n++) map.set("same", 30);
	map.set("other", 20);
	assert.deepEqual([map.find("same"), map.find("other"), map.size], [30, 20, 2]);
});

test("an entry heavier than half of the maximum is dropped, and so is the entry it replaces", () => {
	const map = new RecentMap<number>(1000, { max: 100, of: (weight) => weight });
	map.set("same", 10);
	map.set("same", 51);
	assert.equal(map.find("same"), undefined);
});
