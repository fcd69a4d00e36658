// Compares the Redis script with a reference: exact over any window, by the clock of Redis, in bounded memory.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Redis } from "ioredis";
import { NUMBERS_A_KEY, TAKE_SCRIPT } from "../../src/adapters/redis/take-script.ts";
import { OWN_REDIS_SKIPPED, startOwnRedis } from "../harness/databases/own-redis.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";

const WINDOW_MS = 300;
const WINDOW_US = WINDOW_MS * 1_000;
const BURSTS = atDepth({ quick: 40, all: 40, long: 1_000 });

interface Taken {
	readonly allowed: boolean;
	readonly remaining: number;
	readonly resetUs: number;
	readonly atUs: number;
}

describe("counting in Redis", { skip: OWN_REDIS_SKIPPED }, () => {
	let redis: Redis;
	const server = fixture(() => startOwnRedis(), "remove");
	setup(async () => {
		redis = server.client();
		await redis.connect();
	});

	async function take(keys: string[], limits: number[], windowUs = WINDOW_US): Promise<Taken[]> {
		const numbers = (await redis.eval(TAKE_SCRIPT, keys.length, ...keys, windowUs, ...limits)) as number[];
		assert.equal(numbers.length % NUMBERS_A_KEY, 0);
		return Array.from({ length: numbers.length / NUMBERS_A_KEY }, (_, index) => {
			const [allowed, remaining = -1, resetUs = -1, atUs = -1] = numbers.slice(index * NUMBERS_A_KEY);
			return { allowed: allowed === 1, remaining, resetUs, atUs };
		});
	}

	/** A request is allowed exactly when the window before it has fewer requests than the limit. */
	function assertExact(taken: readonly Taken[], limit: number): { allowed: number; refused: number } {
		const allowed: number[] = [];
		let refused = 0;
		for (const one of [...taken].sort((a, b) => a.atUs - b.atUs)) {
			const inWindow = allowed.filter((at) => at > one.atUs - WINDOW_US);
			assert.equal(one.allowed, inWindow.length < limit, `${inWindow.length} before ${one.atUs}`);
			if (one.allowed) allowed.push(one.atUs);
			else {
				refused += 1;
				assert.equal(one.resetUs, (inWindow[0] as number) + WINDOW_US - one.atUs);
			}
			assert.equal(one.remaining, limit - inWindow.length - (one.allowed ? 1 : 0));
		}
		return { allowed: allowed.length, refused };
	}

	test("allows exactly what the reference allows, over any window and pattern", async () => {
		const limit = 7;
		let seed = 11;
		const random = (): number => {
			seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
			return seed / 0x7fffffff;
		};
		const taken: Taken[] = [];
		for (let count = 0; count < BURSTS; count++) {
			const burst = Math.floor(random() ** 3 * 24) + 1;
			const responses = await Promise.all(Array.from({ length: burst }, () => take(["pattern"], [limit])));
			taken.push(...responses.flat());
			// The script reads the clock of Redis: pauses of many lengths let entries leave the window.
			await wait(random() ** 3 * 200);
		}
		const { allowed, refused } = assertExact(taken, limit);
		assert.ok(allowed > 3 * limit && refused > 20, `${allowed} allowed, ${refused} refused`);
	});

	test("checks several limits in one step, and stops counting at the first refusal", async () => {
		const both = (): Promise<Taken[]> => take(["{a}:wide", "{a}:narrow"], [3, 2]);
		assert.deepEqual(
			(await both()).map(({ remaining }) => remaining),
			[2, 1],
		);
		assert.deepEqual(
			(await both()).map(({ remaining }) => remaining),
			[1, 0],
		);
		assert.deepEqual(
			(await both()).map(({ allowed }) => allowed),
			[true, false],
		);
		assert.deepEqual(
			(await both()).map(({ allowed }) => allowed),
			[false],
		);
		assert.deepEqual([await redis.llen("{a}:wide"), await redis.llen("{a}:narrow")], [3, 2]);
	});

	test("keeps at most the limit for a key, and expires it after the window", async () => {
		for (let sent = 0; sent < 50; sent++) await take(["bounded"], [10]);
		assert.equal(await redis.llen("bounded"), 10);
		const ttl = await redis.pttl("bounded");
		assert.ok(ttl > 0 && ttl <= WINDOW_MS + 1_000, String(ttl));
	});

	/** Calls that Redis has run on lists, including those from the script. */
	async function listCalls(): Promise<number> {
		const stats = await redis.info("commandstats");
		const calls = stats.matchAll(/cmdstat_(?:lindex|lpop|ltrim|llen):calls=(\d+)/g);
		return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
	}

	test("removes expired entries in blocks, not one by one", async () => {
		const [seconds = "0"] = (await redis.time()) as unknown as string[];
		const old = Number(seconds) * 1e6 - 10 * WINDOW_US;
		await redis.rpush("long", ...Array.from({ length: 50_000 }, (_, index) => String(old + index)));
		const before = await listCalls();
		const [one] = await take(["long"], [60_000]);
		assert.equal(one?.remaining, 59_999);
		const calls = (await listCalls()) - before;
		assert.ok(calls < 1_200, `${calls} calls for 50,000 entries`);
	});

	test("keeps earlier counts when the clock is set back", async () => {
		const [seconds = "0"] = (await redis.time()) as unknown as string[];
		const ahead = (Number(seconds) + 3_600) * 1e6;
		await redis.rpush("ahead", String(ahead), String(ahead + 1));
		const [first] = await take(["ahead"], [3]);
		assert.deepEqual([first?.allowed, first?.remaining], [true, 0]);
		const [second] = await take(["ahead"], [3]);
		assert.equal(second?.allowed, false);
		assert.ok((second?.resetUs ?? 0) <= WINDOW_US);
		// A correction of less than a second: the times of a log never decrease.
		const [now = "0", micro = "0"] = (await redis.time()) as unknown as string[];
		const soon = Number(now) * 1e6 + Number(micro) + 200_000;
		await redis.rpush("soon", String(soon));
		const [third] = await take(["soon"], [2]);
		assert.equal(third?.atUs, soon);
	});
});
