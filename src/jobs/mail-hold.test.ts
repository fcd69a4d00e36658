import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createHandover } from "./mail-hold.ts";

const NEVER = new AbortController().signal;

async function isIn(entering: Promise<void>): Promise<boolean> {
	return Promise.race([
		entering.then(() => true),
		new Promise<false>((resolve) => setImmediate(resolve, false)),
	]);
}

describe("the handover of mails", () => {
	it("admits as many as it has places, in the order of arrival", async () => {
		const handover = createHandover(10_000, 1);
		const steps = [handover.step(), handover.step(), handover.step()];
		const entering = steps.map((step) => step.enter(NEVER));
		const states = () => Promise.all(entering.map(isIn));
		assert.deepEqual(await states(), [true, false, false]);
		steps[0]?.leave();
		steps[0]?.leave();
		assert.deepEqual(await states(), [true, true, false]);
		steps[1]?.leave();
		assert.deepEqual(await states(), [true, true, true]);
		steps[2]?.leave();
		assert.equal(await isIn(handover.step().enter(NEVER)), true);
	});

	it("is not blocked by an aborted step, nor by one that leaves without entering", async () => {
		const handover = createHandover(10_000, 1);
		const [first, second, third] = [handover.step(), handover.step(), handover.step()];
		const gone = new AbortController();
		await first.enter(NEVER);
		const refused = assert.rejects(second.enter(gone.signal), /gone/);
		const waiting = third.enter(NEVER);
		handover.step().leave();
		gone.abort(new Error("gone"));
		await refused;
		second.leave();
		assert.equal(await isIn(waiting), false);
		first.leave();
		assert.equal(await isIn(waiting), true);
		await assert.rejects(handover.step().enter(gone.signal), /gone/);
	});

	it("stops waiting for a slow server, but after a response waits until the outcome is recorded", async () => {
		const handover = createHandover(20, 1);
		const [slow, answered, last] = [handover.step(), handover.step(), handover.step()];
		await slow.enter(NEVER);
		await answered.enter(NEVER);
		await answered.answered();
		const waiting = last.enter(NEVER);
		await new Promise((resolve) => setTimeout(resolve, 60));
		assert.equal(await isIn(waiting), false);
		answered.leave();
		slow.leave();
		assert.equal(await isIn(waiting), true);
	});

	it("skips a step that left before its turn", async () => {
		const handover = createHandover(10_000, 1);
		const [first, second, third] = [handover.step(), handover.step(), handover.step()];
		await first.enter(NEVER);
		const entering = second.enter(NEVER);
		const waiting = third.enter(NEVER);
		second.leave();
		first.leave();
		await entering;
		assert.equal(await isIn(waiting), true);
	});

	it("lets outcomes continue together once no place is left, without waiting for other deliveries", async () => {
		const handover = createHandover(10_000, 2);
		const steps = [handover.step(), handover.step(), handover.step()];
		for (const step of steps.slice(0, 2)) await step.enter(NEVER);
		const first = steps[0]?.answered() as Promise<void>;
		assert.equal(await isIn(first), false);
		const second = steps[1]?.answered() as Promise<void>;
		assert.deepEqual(await Promise.all([first, second].map(isIn)), [true, true]);
	});

	it("lets the last outcomes continue as soon as no delivery is left", async () => {
		const handover = createHandover(10_000, 4);
		const [first, second, left] = [handover.step(), handover.step(), handover.step()];
		const answers = [first.answered(), second.answered()];
		assert.deepEqual(await Promise.all(answers.map(isIn)), [false, false]);
		left.leave();
		assert.deepEqual(await Promise.all(answers.map(isIn)), [true, true]);
		assert.equal(await isIn(handover.step().answered()), true);
	});

	it("lets an outcome wait for a silent delivery only briefly", async () => {
		const handover = createHandover(10_000, 4);
		const [answered, silent] = [handover.step(), handover.step()];
		await silent.enter(NEVER);
		await answered.answered();
		silent.leave();
	});
});
