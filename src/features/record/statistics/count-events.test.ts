import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { NOW, testDatabase } from "../../../../test/harness/databases/database.ts";
import { storeTenant } from "../../../../test/harness/databases/stores.ts";
import type { Db } from "../../../domain/stores.ts";
import { HOUR_MS } from "../../../kernel/clock.ts";
import { EventCounts } from "./count-events.ts";

describe("EventCounts", () => {
	const stores = testDatabase();
	let tenantId: string;
	let now = NOW;
	before(async () => {
		tenantId = await storeTenant(stores);
	});

	const stored = async (id = "") => {
		const rows = await stores.db.stores.statistics.list({ tenantId, id }, "hour", NOW, NOW + 2 * HOUR_MS);
		return rows
			.map(({ atMs, measure, code, total }) => [(atMs - NOW) / HOUR_MS, measure, code, total])
			.toSorted();
	};

	it("writes nothing per event, sums up over two nodes, and loses nothing when a write fails", async () => {
		let isAway = true;
		const db: Db<"statistics"> = {
			stores: stores.db.stores,
			transaction: (work) => (isAway ? Promise.reject(new Error("away")) : stores.db.transaction(work)),
		};
		const [one, two] = [new EventCounts(db, () => now), new EventCounts(db, () => now)];
		for (let n = 0; n < 5; n++) one.count(tenantId, "signed_call");
		two.count(tenantId, "signed_call");
		one.count(tenantId, "signed_call_refused", "scope.missing", 2);
		one.count(undefined, "signed_call_refused", "signature.invalid");
		assert.deepEqual(await stored(), []);
		await assert.rejects(one.flush(), /away/);
		isAway = false;
		one.count(tenantId, "signed_call");
		now = NOW + HOUR_MS;
		one.count(tenantId, "signed_call");
		assert.deepEqual(
			one
				.totals()
				.map(({ measure, code, total }) => [measure, code, total])
				.toSorted(),
			[
				["signed_call", "", 7],
				["signed_call_refused", "scope.missing", 2],
				["signed_call_refused", "signature.invalid", 1],
			],
		);
		await one.flush();
		await two.flush();
		const all = [
			[0, "signed_call", "", 7],
			[0, "signed_call_refused", "scope.missing", 2],
			[1, "signed_call", "", 1],
		];
		assert.deepEqual(await stored(), all);
		await one.flush();
		assert.deepEqual(await stored(), all);
		assert.equal(one.totals().find(({ measure }) => measure === "signed_call")?.total, 7);
	});

	it("counts for one subject apart from the tenant and from the totals of the process", async () => {
		const events = new EventCounts(stores.db, () => NOW);
		const subject = { tenantId, id: "of-one-client" };
		events.countFor(subject, "signed_call");
		events.countFor(subject, "signed_call_refused", "ip.not_allowed", 2);
		assert.deepEqual(events.totals(), []);
		await events.flush();
		assert.deepEqual(events.totals(), []);
		assert.deepEqual(await stored(subject.id), [
			[0, "signed_call", "", 1],
			[0, "signed_call_refused", "ip.not_allowed", 2],
		]);
	});

	it("counts an event that is reported later for the hour in which it happened", async () => {
		const events = new EventCounts(stores.db, () => now);
		now = NOW + HOUR_MS;
		events.count(tenantId, "registration");
		events.count(tenantId, "registration", "", 3, NOW + 5);
		events.count(tenantId, "registration");
		await events.flush();
		const registrations = (await stored()).filter(([, measure]) => measure === "registration");
		assert.deepEqual(registrations, [
			[0, "registration", "", 3],
			[1, "registration", "", 2],
		]);
	});
});
