import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../../test/harness/database.ts";
import { HOUR_MS } from "../../kernel/clock.ts";

describe("mail allowance store", () => {
	let database: TestDatabase;
	before(async () => {
		database = await openTestDatabase();
	});
	after(() => database.close());

	const take = (ip: string, perHour: number) =>
		database.db.transaction(({ mailAllowances }) =>
			mailAllowances.take(database.tenantId, ip, perHour, database.clock.now()),
		);

	for (const perHour of [1, 7, 100])
		it(`gives ${perHour} an hour, and says when the next is earned`, async () => {
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

	it("gives no more to many at once", async () => {
		const answers = await Promise.all(Array.from({ length: 30 }, () => take("198.51.100.1", 10)));
		assert.equal(answers.filter((answer) => answer === undefined).length, 10);
	});

	it("forgets who has earned all of theirs", async () => {
		const purge = () => database.db.stores.mailAllowances.purge(database.clock.now(), 100);
		database.clock.advance(2 * HOUR_MS);
		await purge();
		await take("198.51.100.2", 2);
		assert.equal(await purge(), 0);
		database.clock.advance(HOUR_MS / 2);
		assert.equal(await purge(), 1);
	});
});
