import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRateLimiter } from "./rate-limit.ts";

function limiterAt(perMinute: number) {
	const time = { ms: 1_000_000 };
	return { time, limiter: createRateLimiter(perMinute, () => time.ms) };
}

describe("createRateLimiter", () => {
	it("allows exactly the limit, and returns when to retry", () => {
		const { limiter, time } = limiterAt(100);
		for (let count = 1; count <= 100; count++) {
			const verdict = limiter.take("a");
			assert.equal(verdict.allowed, true);
			assert.equal(verdict.remaining, 100 - count);
		}
		time.ms += 1_500;
		assert.deepEqual(limiter.take("a"), { allowed: false, limit: 100, remaining: 0, resetSeconds: 59 });
		assert.equal(limiter.take("b").allowed, true);
	});

	it("does not double at the edge of a minute: 100 late in one and 100 early in the next", () => {
		const { limiter, time } = limiterAt(100);
		time.ms = 59_000;
		for (let count = 0; count < 100; count++) limiter.take("a");
		time.ms = 61_000;
		for (let count = 0; count < 100; count++) assert.equal(limiter.take("a").allowed, false);
		time.ms = 119_000;
		assert.equal(limiter.take("a").allowed, true);
	});

	it("does not count refused requests: a caller who keeps trying is let in as soon as one who waits", () => {
		const { limiter, time } = limiterAt(2);
		limiter.take("a");
		time.ms += 30_000;
		limiter.take("a");
		for (let count = 0; count < 50; count++) assert.equal(limiter.take("a").allowed, false);
		time.ms += 30_000;
		assert.equal(limiter.take("a").allowed, true);
		assert.equal(limiter.take("a").allowed, false);
	});

	it("never allows more than the limit in any 60 s, for any pattern", () => {
		const { limiter, time } = limiterAt(10);
		let seed = 7;
		const random = (): number => {
			seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
			return seed / 0x7fffffff;
		};
		const allowed: number[] = [];
		for (let count = 0; count < 20_000; count++) {
			time.ms += Math.floor(random() ** 4 * 20_000);
			const recent = allowed.filter((at) => at > time.ms - 60_000).length;
			const verdict = limiter.take("a").allowed;
			assert.equal(verdict, recent < 10, `request ${count}`);
			if (verdict) allowed.push(time.ms);
		}
	});

	it("keeps a key's window over the periods in which keys are forgotten", () => {
		const { limiter, time } = limiterAt(1);
		time.ms += 59_999;
		assert.equal(limiter.take("a").allowed, true);
		time.ms += 1;
		assert.equal(limiter.take("other").allowed, true);
		assert.equal(limiter.take("a").allowed, false);
		time.ms += 59_998;
		assert.equal(limiter.take("a").allowed, false);
		time.ms += 1;
		assert.equal(limiter.take("a").allowed, true);
	});
});
