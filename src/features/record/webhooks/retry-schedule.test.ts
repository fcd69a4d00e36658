import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../kernel/clock.ts";
import { nextAttemptAtMs } from "./settle-delivery.ts";

describe("nextAttemptAtMs", () => {
	const never = () => 0;

	it("backs off from five seconds to six hours, with the last attempt after three days", () => {
		const giveUpAtMs = 3 * DAY_MS;
		const delays: number[] = [];
		let now = 0;
		for (let roundAttempts = 1; ; roundAttempts++) {
			const next = nextAttemptAtMs({ roundAttempts, giveUpAtMs }, now, undefined, never);
			if (next === undefined) break;
			delays.push(next - now);
			now = next;
		}
		assert.equal(now, giveUpAtMs);
		assert.deepEqual(delays.slice(0, 9), [
			5 * SECOND_MS,
			30 * SECOND_MS,
			2 * MINUTE_MS,
			10 * MINUTE_MS,
			30 * MINUTE_MS,
			HOUR_MS,
			2 * HOUR_MS,
			4 * HOUR_MS,
			6 * HOUR_MS,
		]);
		assert.ok(delays.slice(8, -1).every((delay) => delay === 6 * HOUR_MS));
	});

	it("comes up to a quarter earlier at random", () => {
		const claimed = { roundAttempts: 6, giveUpAtMs: 3 * DAY_MS };
		assert.equal(
			nextAttemptAtMs(claimed, 0, undefined, () => 0.999_999_9),
			0.75 * HOUR_MS,
		);
	});

	it("honours Retry-After up to six hours, and never shortens its own delay", () => {
		const claimed = { roundAttempts: 1, giveUpAtMs: 3 * DAY_MS };
		assert.equal(nextAttemptAtMs(claimed, 0, 120, never), 120 * SECOND_MS);
		assert.equal(nextAttemptAtMs(claimed, 0, 1, never), 5 * SECOND_MS);
		assert.equal(nextAttemptAtMs(claimed, 0, 999_999, never), 6 * HOUR_MS);
		assert.equal(nextAttemptAtMs({ ...claimed, giveUpAtMs: 60_000 }, 0, 120, never), 60_000);
	});
});
