import assert from "node:assert/strict";
import { test } from "node:test";
import { BcryptWork } from "./bcrypt-work.ts";

/** bcrypt work of cost 8 that records the cost of each hash, and takes no time. */
function recordedWork() {
	const costs: number[] = [];
	const work = new BcryptWork(8, async (_text, hash) => {
		costs.push(Number(hash.slice(4, 6)));
		return false;
	});
	return { work, costs, rounds: () => costs.reduce((sum, cost) => sum + 2 ** cost, 0) };
}

test("an unknown name costs one whole hash", async () => {
	const { work, costs } = recordedWork();
	await work.spend("x");
	assert.deepEqual(costs, [8]);
});

test("a wrong password costs as much, whatever its hash costs", async () => {
	for (const spent of [4, 5, 6, 7, 8]) {
		const { work, rounds } = recordedWork();
		await work.verify("x", `$2b$0${spent}$${".".repeat(53)}`, spent);
		await work.addSteps("x", spent);
		assert.equal(rounds(), 2 ** 8);
	}
});

test("after other work as many hashes follow as fit into the time of one whole hash", async () => {
	const { work, costs } = recordedWork();
	// Nothing was measured yet: a hash of cost 8 counts as 12.5 ms.
	await work.fillUp("x", performance.now());
	assert.deepEqual(costs, [7, 6, 5, 4]);
	await work.fillUp("x", performance.now() - 1_000);
	assert.deepEqual(costs, [7, 6, 5, 4]);
});
