import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DeliveryPlaces } from "./delivery-places.ts";

const receiver = (id: string, isFailing = false) => ({ id, isFailing });

/** Takes every slot that receivers with these ids may have. */
function fill(places: DeliveryPlaces, count: number, isFailing: boolean): void {
	for (let index = 0; index < count; index++) {
		const one = receiver(`${isFailing}-${index}`, isFailing);
		for (let free = places.freeFor(one); free > 0; free--) places.take(one);
	}
}

describe("DeliveryPlaces", () => {
	test("gives each receiver four slots, or one while it fails", () => {
		const places = new DeliveryPlaces();
		assert.deepEqual([places.freeFor(receiver("a")), places.freeFor(receiver("b", true))], [4, 1]);
		const release = [1, 2, 3, 4].map(() => places.take(receiver("a")));
		places.take(receiver("b", true));
		assert.deepEqual([places.freeFor(receiver("a")), places.freeFor(receiver("b", true))], [0, 0]);
		assert.equal(places.freeFor(receiver("c")), 4);
		release[0]?.();
		assert.equal(places.freeFor(receiver("a")), 1);
	});

	test("reserves half of the 128 slots for receivers that do not fail", () => {
		const places = new DeliveryPlaces();
		fill(places, 100, true);
		assert.equal(places.freeFor(receiver("one-more", true)), 0);
		assert.equal(places.freeFor(receiver("a")), 4);
		fill(places, 16, false);
		assert.equal(places.freeFor(receiver("a")), 0);
	});
});
