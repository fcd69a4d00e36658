import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AttemptGate } from "./attempt-gate.ts";

/** A counter that lets `limit` attempts through until one of them is right; every step takes a turn of the loop. */
function counter(limit: number) {
	let failures = 0;
	let looks = 0;
	const turn = () => new Promise((resolve) => setImmediate(resolve));
	return {
		get looks() {
			return looks;
		},
		async reserve() {
			await turn();
			if (failures >= limit) return { refused: true };
			failures++;
			return undefined;
		},
		async look(right: boolean) {
			looks++;
			await turn();
			await turn();
			if (right) failures = 0;
			await turn();
			return right;
		},
	};
}

type Counter = ReturnType<typeof counter>;

type Gate = AttemptGate<{ refused: boolean }>;

async function run<T>(
	gate: Gate,
	key: string,
	...[reserve, work]: [Parameters<Gate["enter"]>[1], () => Promise<T>]
) {
	const entry = await gate.enter(key, reserve);
	if ("refusal" in entry) return entry;
	try {
		return { result: await work() };
	} finally {
		entry.leave();
	}
}

function attempt(gate: Gate, count: Counter, right: boolean, key = "key") {
	return run(
		gate,
		key,
		() => count.reserve(),
		() => count.look(right),
	);
}

describe("AttemptGate", () => {
	it("lets every one of many simultaneous right attempts through", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		const count = counter(5);
		const outcomes = await Promise.all(Array.from({ length: 200 }, () => attempt(gate, count, true)));
		assert.ok(outcomes.every((outcome) => "result" in outcome && outcome.result));
		assert.equal(count.looks, 200);
	});

	it("makes as many wrong attempts as may be made, and refuses the rest", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		const count = counter(5);
		const outcomes = await Promise.all(Array.from({ length: 200 }, () => attempt(gate, count, false)));
		assert.equal(count.looks, 5);
		assert.equal(outcomes.filter((outcome) => "refusal" in outcome).length, 195);
	});

	it("serves a right attempt that was already waiting behind wrong ones", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		const count = counter(5);
		// Three failures from before leave room for two: the right one among them makes room for the others.
		for (let failure = 0; failure < 3; failure++) await attempt(gate, count, false);
		const outcomes = await Promise.all(
			[false, true, true, true, true, true, true].map((right) => attempt(gate, count, right)),
		);
		assert.deepEqual(
			outcomes.map((outcome) => "result" in outcome && outcome.result),
			[false, true, true, true, true, true, true],
		);
	});

	it("refuses at once when no other attempt is under way", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		assert.deepEqual(await attempt(gate, counter(0), true), { refusal: { refused: true } });
	});

	it("does not make one key wait for another", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		const never = run(
			gate,
			"busy",
			async () => undefined,
			() => new Promise<never>(() => undefined),
		);
		assert.deepEqual(await attempt(gate, counter(0), true, "other"), { refusal: { refused: true } });
		assert.ok(never instanceof Promise);
	});

	it("hands on the place of an attempt that failed, in counting or in looking", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		let free = true;
		const reserve = async () => {
			if (!free) return { refused: true };
			free = false;
			return undefined;
		};
		const breaking = (where: string) => async (): Promise<never> => {
			await new Promise((resolve) => setImmediate(resolve));
			free = true;
			throw new Error(where);
		};
		const outcomes = await Promise.allSettled([
			run(gate, "key", reserve, breaking("looking")),
			run(gate, "key", breaking("counting"), async () => "made"),
			run(gate, "key", reserve, async () => "made"),
		]);
		assert.deepEqual(
			outcomes.map((outcome) => (outcome.status === "rejected" ? String(outcome.reason) : outcome.value)),
			["Error: looking", "Error: counting", { result: "made" }],
		);
	});
});
