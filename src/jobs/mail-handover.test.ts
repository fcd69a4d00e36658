import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createHandover } from "./mail-handover.ts";

const NEVER = new AbortController().signal;

async function isIn(entering: Promise<void>): Promise<boolean> {
	return Promise.race([
		entering.then(() => true),
		new Promise<false>((resolve) => setImmediate(resolve, false)),
	]);
}

describe("the handover of mails", () => {
	it("lets one in after the other, in their order, each when the one before has left", async () => {
		const handover = createHandover(10_000);
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

	it("holds nobody up for one that gives up, or that leaves without having entered", async () => {
		const handover = createHandover(10_000);
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

	it("waits no longer for a server that is slow to answer, but for one that answered until it is recorded", async () => {
		const handover = createHandover(20);
		const [slow, answered, last] = [handover.step(), handover.step(), handover.step()];
		await slow.enter(NEVER);
		await answered.enter(NEVER);
		answered.answered();
		const waiting = last.enter(NEVER);
		await new Promise((resolve) => setTimeout(resolve, 60));
		assert.equal(await isIn(waiting), false);
		answered.leave();
		slow.leave();
		assert.equal(await isIn(waiting), true);
	});

	it("a step that was left before its turn came passes the turn on", async () => {
		const handover = createHandover(10_000);
		const [first, second, third] = [handover.step(), handover.step(), handover.step()];
		await first.enter(NEVER);
		const entering = second.enter(NEVER);
		const waiting = third.enter(NEVER);
		second.leave();
		first.leave();
		await entering;
		assert.equal(await isIn(waiting), true);
	});
});
