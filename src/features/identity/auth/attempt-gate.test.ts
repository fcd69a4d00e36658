import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AttemptGate } from "./attempt-gate.ts";

/** Admits `limit` attempts until one of them is correct; every step takes one turn of the event loop. */
function counter(limit: number) {
	let failures = 0;
	let verifications = 0;
	const turn = () => new Promise((resolve) => setImmediate(resolve));
	return {
		get verifications() {
			return verifications;
		},
		async reserve() {
			await turn();
			if (failures >= limit) return { refused: true };
			failures++;
			return undefined;
		},
		async verify(right: boolean) {
			verifications++;
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
		() => count.verify(right),
	);
}

describe("AttemptGate", () => {
	it("admits all of many concurrent correct attempts", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		const count = counter(5);
		const outcomes = await Promise.all(Array.from({ length: 200 }, () => attempt(gate, count, true)));
		assert.ok(outcomes.every((outcome) => "result" in outcome && outcome.result));
		assert.equal(count.verifications, 200);
	});

	it("admits wrong attempts up to the limit, and refuses the rest", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		const count = counter(5);
		const outcomes = await Promise.all(Array.from({ length: 200 }, () => attempt(gate, count, false)));
		assert.equal(count.verifications, 5);
		assert.equal(outcomes.filter((outcome) => "refusal" in outcome).length, 195);
	});

	it("admits a correct attempt that was waiting behind wrong ones", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		const count = counter(5);
		// After three failures, two more attempts fit: the correct one of them makes room for the others.
		for (let failure = 0; failure < 3; failure++) await attempt(gate, count, false);
		const outcomes = await Promise.all(
			[false, true, true, true, true, true, true].map((right) => attempt(gate, count, right)),
		);
		assert.deepEqual(
			outcomes.map((outcome) => "result" in outcome && outcome.result),
			[false, true, true, true, true, true, true],
		);
	});

	it("refuses immediately if no other attempt is in progress", async () => {
		const gate = new AttemptGate<{ refused: boolean }>();
		assert.deepEqual(await attempt(gate, counter(0), true), { refusal: { refused: true } });
	});

	it("does not make attempts at one key wait for those at another", async () => {
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

	it("passes on the slot of an attempt that threw, while reserving or while verifying", async () => {
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
			run(gate, "key", reserve, breaking("verifying")),
			run(gate, "key", breaking("reserving"), async () => "done"),
			run(gate, "key", reserve, async () => "done"),
		]);
		assert.deepEqual(
			outcomes.map((outcome) => (outcome.status === "rejected" ? String(outcome.reason) : outcome.value)),
			["Error: verifying", "Error: reserving", { result: "done" }],
		);
	});
});
