import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AttemptCounting, AttemptLimit } from "./attempt-limit.ts";

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
			if (failures >= limit) return BLOCKED;
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
type Count = AttemptCounting["count"];

/** Caused by attempts of this process, so nothing is gained by looking again. */
const BLOCKED = { untilMs: 1, underWay: 0 };

function newLimit(wait?: (ms: number) => Promise<unknown>) {
	return new AttemptLimit({ clock: () => 0, forgottenMs: 1_000, wait });
}

async function run<T>(limit: AttemptLimit, key: string, count: Count, work: () => Promise<T>) {
	await using reservation = await limit.reserve(key, { count, release: async () => undefined });
	return reservation.blocked === undefined ? { result: await work() } : { refusal: reservation.blocked };
}

function attempt(limit: AttemptLimit, count: Counter, right: boolean, key = "key") {
	return run(
		limit,
		key,
		() => count.reserve(),
		() => count.verify(right),
	);
}

describe("AttemptLimit", () => {
	it("admits all of many concurrent correct attempts", async () => {
		const limit = newLimit();
		const count = counter(5);
		const outcomes = await Promise.all(Array.from({ length: 200 }, () => attempt(limit, count, true)));
		assert.ok(outcomes.every((outcome) => "result" in outcome && outcome.result));
		assert.equal(count.verifications, 200);
	});

	it("admits wrong attempts up to the limit, and refuses the rest", async () => {
		const limit = newLimit();
		const count = counter(5);
		const outcomes = await Promise.all(Array.from({ length: 200 }, () => attempt(limit, count, false)));
		assert.equal(count.verifications, 5);
		assert.equal(outcomes.filter((outcome) => "refusal" in outcome).length, 195);
	});

	it("admits a correct attempt that was waiting behind wrong ones", async () => {
		const limit = newLimit();
		const count = counter(5);
		// After three failures, two more attempts fit: the correct one of them makes room for the others.
		for (let failure = 0; failure < 3; failure++) await attempt(limit, count, false);
		const outcomes = await Promise.all(
			[false, true, true, true, true, true, true].map((right) => attempt(limit, count, right)),
		);
		assert.deepEqual(
			outcomes.map((outcome) => "result" in outcome && outcome.result),
			[false, true, true, true, true, true, true],
		);
	});

	it("refuses immediately if no other attempt is in progress", async () => {
		const limit = newLimit();
		assert.deepEqual(await attempt(limit, counter(0), true), { refusal: BLOCKED });
	});

	it("does not make attempts at one key wait for those at another", async () => {
		const limit = newLimit();
		const never = run(
			limit,
			"busy",
			async () => undefined,
			() => new Promise<never>(() => undefined),
		);
		assert.deepEqual(await attempt(limit, counter(0), true, "other"), { refusal: BLOCKED });
		assert.ok(never instanceof Promise);
	});

	it("passes on the slot of an attempt that threw, while reserving or while verifying", async () => {
		const limit = newLimit();
		let free = true;
		const reserve = async () => {
			if (!free) return BLOCKED;
			free = false;
			return undefined;
		};
		const breaking = (where: string) => async (): Promise<never> => {
			await new Promise((resolve) => setImmediate(resolve));
			free = true;
			throw new Error(where);
		};
		const outcomes = await Promise.allSettled([
			run(limit, "key", reserve, breaking("verifying")),
			run(limit, "key", breaking("reserving"), async () => "done"),
			run(limit, "key", reserve, async () => "done"),
		]);
		assert.deepEqual(
			outcomes.map((outcome) => (outcome.status === "rejected" ? String(outcome.reason) : outcome.value)),
			["Error: verifying", "Error: reserving", { result: "done" }],
		);
	});

	it("counts at most four attempts of one key at once, in the order of arrival", async () => {
		const limit = newLimit();
		let [counting, most] = [0, 0];
		const order: number[] = [];
		const one = (number: number, key: string) => async () => {
			order.push(number);
			most = Math.max(most, ++counting);
			await new Promise((resolve) => setImmediate(resolve));
			counting--;
			return key === "broken" && number === 0 ? Promise.reject(new Error("lost")) : undefined;
		};
		for (const key of ["key", "broken"]) {
			const runs = [...Array(9).keys()].map((number) =>
				run(limit, key, one(number, key), async () => "done"),
			);
			const outcomes = await Promise.allSettled(runs);
			assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, key === "key" ? 9 : 8);
			assert.deepEqual(order.splice(0), [...Array(9).keys()]);
		}
		assert.equal(most, 4);
	});

	it("looks again nine times for attempts of other nodes, once for all that wait, and not again soon", async () => {
		let nowMs = 0;
		const waits: number[] = [];
		const wait = async (ms: number) => {
			waits.push(ms);
			await new Promise((resolve) => setImmediate(resolve));
		};
		const limit = new AttemptLimit({ clock: () => nowMs, forgottenMs: 1_000, wait });
		let free = false;
		const count = async () => (free ? undefined : { untilMs: 1, underWay: 5 });
		const many = () =>
			Promise.all([...Array(6).keys()].map(() => run(limit, "key", count, async () => "done")));
		assert.ok((await many()).every((outcome) => "refusal" in outcome));
		assert.deepEqual(waits.splice(0), Array(9).fill(200));
		await many();
		assert.deepEqual(waits, []);
		nowMs += 1_000;
		const later = many();
		await new Promise((resolve) => setImmediate(resolve));
		free = true;
		assert.ok((await later).every((outcome) => "result" in outcome));
		assert.ok(waits.length < 9);
	});
});
