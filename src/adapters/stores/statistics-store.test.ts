import assert from "node:assert/strict";
import { it } from "node:test";
import { NOW } from "../../../test/harness/databases/database.ts";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { storeTenant } from "../../../test/harness/databases/stores.ts";
import {
	type EventCount,
	STATISTICS_KEPT_MS,
	type StatisticsStep,
	startOfStep,
} from "../../domain/statistics.ts";
import { DAY_MS, HOUR_MS } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";

onEachEngine("statistics, in SQL", (stores) => {
	const add = (...counts: EventCount[]) => stores.db.transaction(({ statistics }) => statistics.add(counts));
	const observe = (atMs: number) => stores.db.transaction(({ statistics }) => statistics.observe(atMs));
	const list = async (
		tenantId: string,
		step: StatisticsStep,
		fromMs = NOW - DAY_MS,
		toMs = NOW + DAY_MS,
		id = "",
	) => {
		const rows = await stores.db.stores.statistics.list(
			{ tenantId, id },
			step,
			startOfStep(step, fromMs),
			toMs,
		);
		return rows.map(({ atMs, measure, code, total }) => [atMs, measure, code, total]).toSorted();
	};

	it("are summed by hour and day, across several writers, within the tenant", async () => {
		const [tenantId, other] = [await storeTenant(stores), await storeTenant(stores)];
		const signIn = { tenantId, subjectId: "", measure: "sign_in", code: "" } as const;
		await add({ ...signIn, atMs: NOW + 5, total: 2 }, { ...signIn, atMs: NOW + HOUR_MS, total: 3 });
		await Promise.all([
			add({ ...signIn, atMs: NOW, total: 4 }, { ...signIn, tenantId: other, atMs: NOW, total: 1 }),
			add({ ...signIn, measure: "sign_in_refused", code: "mfa.invalid", atMs: NOW, total: 5 }),
		]);
		assert.deepEqual(await list(tenantId, "hour"), [
			[NOW, "sign_in", "", 6],
			[NOW, "sign_in_refused", "mfa.invalid", 5],
			[NOW + HOUR_MS, "sign_in", "", 3],
		]);
		const day = startOfStep("day", NOW);
		assert.deepEqual(await list(tenantId, "day"), [
			[day, "sign_in", "", 9],
			[day, "sign_in_refused", "mfa.invalid", 5],
		]);
		assert.deepEqual(await list(other, "hour"), [[NOW, "sign_in", "", 1]]);
		assert.deepEqual(await list(tenantId, "hour", NOW, NOW + HOUR_MS - 1), [
			[NOW, "sign_in", "", 6],
			[NOW, "sign_in_refused", "mfa.invalid", 5],
		]);
	});

	it("of a subject are apart from those of the tenant and of other subjects", async () => {
		const [tenantId, subjectId] = [await storeTenant(stores), newId(NOW)];
		const call = { tenantId, measure: "signed_call", code: "", atMs: NOW } as const;
		await add({ ...call, subjectId, total: 2 }, { ...call, subjectId: "", total: 3 });
		await add({ ...call, subjectId: newId(NOW), total: 4 }, { ...call, subjectId, total: 1 });
		const range = [NOW, NOW + HOUR_MS] as const;
		assert.deepEqual(await list(tenantId, "hour", ...range, subjectId), [[NOW, "signed_call", "", 3]]);
		assert.deepEqual(await list(tenantId, "hour", ...range), [[NOW, "signed_call", "", 3]]);
		assert.deepEqual(await list(tenantId, "day", ...range, newId(NOW)), []);
	});

	it("keep the last observed length of each queue, even if it is empty", async () => {
		const tenantId = await storeTenant(stores);
		const mail = {
			tenantId,
			to: "ada@people.example",
			locale: "en",
			message: { kind: "account_exists", username: "ada" },
		} as const;
		await stores.db.transaction(async ({ mail: outbox }) => {
			await outbox.put(mail);
			await outbox.put(mail);
		});
		await observe(NOW);
		const day = startOfStep("day", NOW);
		assert.deepEqual(await list(tenantId, "hour"), [[NOW, "mails_waiting", "", 2]]);
		assert.deepEqual(await stores.db.stores.statistics.queues(tenantId), {
			requests_pending: 0,
			mails_waiting: 2,
		});
		const claimed = await stores.db.transaction(({ mail: outbox }) => outbox.claimDue(NOW + 1, 100, 1_000));
		for (const { id } of claimed) await stores.db.stores.mail.markSent(id, NOW + 1);
		await observe(NOW + 1);
		await observe(NOW + HOUR_MS);
		assert.deepEqual(await list(tenantId, "hour"), [[NOW, "mails_waiting", "", 0]]);
		assert.deepEqual(await list(tenantId, "day"), [[day, "mails_waiting", "", 0]]);
	});

	it("delete hours earlier than days, with a limit per run", async () => {
		const tenantId = await storeTenant(stores);
		const { statistics } = stores.db.stores;
		const old = (hours: number) => ({
			tenantId,
			subjectId: "",
			measure: "sign_in" as const,
			code: "",
			atMs: NOW - 10 * DAY_MS - hours * HOUR_MS,
			total: 1,
		});
		await add(old(0), old(1), old(2));
		const then = NOW - 9 * DAY_MS + STATISTICS_KEPT_MS.hour;
		const hours = () => list(tenantId, "hour", NOW - 20 * DAY_MS);
		assert.equal((await hours()).length, 3);
		assert.equal(await statistics.purge(then, 2), 2);
		assert.equal((await hours()).length, 1);
		assert.equal(await statistics.purge(then, 2), 1);
		assert.equal((await list(tenantId, "day", NOW - 20 * DAY_MS)).length, 1);
		assert.equal(
			(await statistics.purge(then - STATISTICS_KEPT_MS.hour + STATISTICS_KEPT_MS.day, 100)) > 0,
			true,
		);
		assert.deepEqual(await list(tenantId, "day", NOW - 20 * DAY_MS), []);
	});
});
