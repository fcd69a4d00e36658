import assert from "node:assert/strict";
import { test } from "node:test";
import { BcryptWork } from "./bcrypt-work.ts";

/** bcrypt work of cost 8 that records the cost of each hash. A hash takes `hashMs` on a simulated clock. */
function recordedWork(hashMs: (cost: number) => number = () => 0) {
	const costs: number[] = [];
	let nowMs = 0;
	const work = new BcryptWork(
		8,
		async (_text, hash) => {
			const cost = Number(hash.slice(4, 6));
			costs.push(cost);
			nowMs += hashMs(cost);
			return false;
		},
		() => nowMs,
	);
	return { work, costs, now: () => nowMs, rounds: () => costs.reduce((sum, cost) => sum + 2 ** cost, 0) };
}

test("an unknown name costs one full hash", async () => {
	const { work, costs } = recordedWork();
	await work.spend("x");
	assert.deepEqual(costs, [8]);
});

test("a wrong password takes the same time, regardless of the cost of its hash", async () => {
	for (const spent of [4, 5, 6, 7, 8]) {
		const { work, rounds } = recordedWork();
		await work.verify("x", `$2b$0${spent}$${".".repeat(53)}`, spent);
		await work.addSteps("x", spent);
		assert.equal(rounds(), 2 ** 8);
	}
});

test("after other work, hashes fill up the time of one full hash", async () => {
	const { work, costs, now } = recordedWork((cost) => 16 * 2 ** (cost - 8));
	await work.spend("x");
	for (const [otherMs, expected] of [
		[0, [7, 6, 5, 4]],
		[1, [7, 6, 5, 4]],
		[2, [7, 6, 5]],
		[9, [6, 5, 4]],
		[16, []],
		[1_000, []],
	] as const) {
		costs.length = 0;
		await work.fillUp("x", now() - otherMs);
		assert.deepEqual(costs, expected, `after ${otherMs} ms`);
	}
});
