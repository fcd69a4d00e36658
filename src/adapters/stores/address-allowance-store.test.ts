import assert from "node:assert/strict";
import { it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import type { AllowanceKind } from "../../domain/address-allowance.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../kernel/clock.ts";

onEachEngine("address allowance store", (database) => {
	const ofKind = (kind: AllowanceKind, count: number) => ({ kind, count, windowMs: HOUR_MS });
	const take = (ip: string, perHour: number, kind: AllowanceKind = "mail") =>
		database.db.transaction(({ allowances }) =>
			allowances.take(ofKind(kind, perHour), ip, database.clock.now()),
		);

	for (const perHour of [1, 7, 100])
		it(`allows ${perHour} per hour, and returns when the next one is restored`, async () => {
			const ip = `192.0.2.${perHour}`;
			for (let count = 0; count < perHour; count++) assert.equal(await take(ip, perHour), undefined);
			const earnedAtMs = (await take(ip, perHour)) ?? 0;
			const waitMs = earnedAtMs - database.clock.now();
			assert.equal(waitMs, Math.ceil(HOUR_MS / perHour));
			database.clock.advance(waitMs - 1);
			assert.notEqual(await take(ip, perHour), undefined);
			database.clock.advance(1);
			assert.equal(await take(ip, perHour), undefined);
			assert.notEqual(await take(ip, perHour), undefined);
		});

	it("allows no more to concurrent callers", async () => {
		const responses = await Promise.all(Array.from({ length: 30 }, () => take("198.51.100.1", 10)));
		assert.equal(responses.filter((response) => response === undefined).length, 10);
	});

	it("counts each kind separately, and gives one back", async () => {
		const ip = "198.51.100.3";
		for (let count = 0; count < 3; count++) assert.equal(await take(ip, 3), undefined);
		assert.notEqual(await take(ip, 3), undefined);
		assert.equal(await take(ip, 3, "password"), undefined);
		await database.db.stores.allowances.giveBack(ofKind("mail", 3), ip, database.clock.now());
		assert.equal(await take(ip, 3), undefined);
		assert.notEqual(await take(ip, 3), undefined);
	});

	it("does not refuse an address longer because the clock was set back", async () => {
		const ip = "198.51.100.4";
		for (let count = 0; count < 3; count++) assert.equal(await take(ip, 3), undefined);
		database.clock.advance(-48 * HOUR_MS);
		assert.equal(await take(ip, 3), undefined);
		database.clock.advance(48 * HOUR_MS);
	});

	it("waits for a node whose clock is ahead, and not for a clock that was set back", async () => {
		const ip = "198.51.100.5";
		for (let count = 0; count < 60; count++) assert.equal(await take(ip, 60), undefined);
		for (const [backMs, waitMs] of [
			[4 * SECOND_MS, MINUTE_MS + 4 * SECOND_MS],
			[10 * SECOND_MS, MINUTE_MS + 10 * SECOND_MS],
		] as const) {
			database.clock.advance(-backMs);
			assert.equal((await take(ip, 60)) ?? 0, database.clock.now() + waitMs);
			database.clock.advance(backMs);
		}
		database.clock.advance(-11 * SECOND_MS);
		assert.equal(await take(ip, 60), undefined);
		database.clock.advance(11 * SECOND_MS);
	});

	it("does not clear what another node counted, however far apart their clocks are", async () => {
		const ip = "198.51.100.6";
		const apartMs = 15 * SECOND_MS;
		let allowed = 0;
		for (let second = 0; second < 600; second++) {
			if ((await take(ip, 60)) === undefined) allowed++;
			database.clock.advance(apartMs);
			if ((await take(ip, 60)) === undefined) allowed++;
			database.clock.advance(SECOND_MS - apartMs);
		}
		// A minute restores one use, and each node may take it: without a bound, there were hundreds.
		assert.ok(allowed <= 60 + 3 * 10, `${allowed} uses in ten minutes of 60 an hour`);
	});

	it("leaves nothing of a use that was given back", async () => {
		const [ip, perHour] = ["198.51.100.6", 3];
		const give = () =>
			database.db.stores.allowances.giveBack(ofKind("mail", perHour), ip, database.clock.now());
		for (let count = 0; count < 2; count++) await take(ip, perHour);
		for (let count = 0; count < 3; count++) await give();
		database.clock.advance(-HOUR_MS);
		for (let count = 0; count < perHour; count++) assert.equal(await take(ip, perHour), undefined);
		assert.notEqual(await take(ip, perHour), undefined);
		database.clock.advance(HOUR_MS);
	});

	it("purges fully restored allowances", async () => {
		const purge = () => database.db.stores.allowances.purge(database.clock.now(), 100);
		database.clock.advance(2 * HOUR_MS);
		await purge();
		await take("198.51.100.2", 2);
		assert.equal(await purge(), 0);
		database.clock.advance(HOUR_MS / 2);
		assert.equal(await purge(), 1);
	});
});
