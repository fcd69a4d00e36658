import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DeliverySlots } from "./delivery-slots.ts";

const receiver = (id: string, isFailing = false) => ({ id, isFailing });

/** Takes every slot that receivers with these ids may have. */
function fill(slots: DeliverySlots, count: number, isFailing: boolean): void {
	for (let index = 0; index < count; index++) {
		const one = receiver(`${isFailing}-${index}`, isFailing);
		for (let free = slots.freeFor(one); free > 0; free--) slots.take(one);
	}
}

describe("DeliverySlots", () => {
	test("gives each receiver four slots, or one while it fails", () => {
		const slots = new DeliverySlots();
		assert.deepEqual([slots.freeFor(receiver("a")), slots.freeFor(receiver("b", true))], [4, 1]);
		const release = [1, 2, 3, 4].map(() => slots.take(receiver("a")));
		slots.take(receiver("b", true));
		assert.deepEqual([slots.freeFor(receiver("a")), slots.freeFor(receiver("b", true))], [0, 0]);
		assert.equal(slots.freeFor(receiver("c")), 4);
		release[0]?.();
		assert.equal(slots.freeFor(receiver("a")), 1);
	});

	test("reserves half of the 128 slots for receivers that do not fail", () => {
		const slots = new DeliverySlots();
		fill(slots, 100, true);
		assert.equal(slots.freeFor(receiver("one-more", true)), 0);
		assert.equal(slots.freeFor(receiver("a")), 4);
		fill(slots, 16, false);
		assert.equal(slots.freeFor(receiver("a")), 0);
	});
});
