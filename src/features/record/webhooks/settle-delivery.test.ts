import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { testDatabase } from "../../../../test/harness/databases/database.ts";
import { named } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import { systemCaller } from "../../../domain/caller.ts";
import { isFailing, recentAttempts, WEBHOOK_RECENT_MS } from "../../../domain/webhook.ts";
import type { ClaimedWebhookDelivery } from "../../../domain/webhook-delivery.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/id.ts";
import { createWebhook } from "./manage-webhook.ts";
import { nextAttemptAtMs, settleDelivery } from "./settle-delivery.ts";

const LEASE_MS = 10_000;
const OK = { statusCode: 200, error: "", retryAfterSeconds: undefined, answer: "", ms: 5 };
const BAD = { statusCode: 500, error: "responded with 500", retryAfterSeconds: undefined, answer: "", ms: 5 };

describe("settleDelivery", () => {
	const database = testDatabase();
	let webhookId: string;
	beforeEach(async () => {
		webhookId = await addWebhook(["user.*"]);
	});

	const addWebhook = async (eventTypes: readonly ("user.*" | "grant.*")[]): Promise<string> => {
		const { db, secretBox, clock, tenantId } = database;
		const { webhook } = await createWebhook(
			{ db, secretBox, clock: clock.now, isWebhookAddress: () => true },
			{ url: "https://hooks.partner.example/", description: "", eventTypes },
			systemCaller(tenantId),
		);
		return webhook.id;
	};
	const happen = (action: AuditAction) =>
		database.db.transaction(({ audit }) =>
			audit.append(systemCaller(database.tenantId), action, named("user", newId(database.clock.now()), "")),
		);
	const claim = (limit = 10): Promise<readonly ClaimedWebhookDelivery[]> =>
		database.db.transaction(({ webhookDeliveries }) =>
			webhookDeliveries.claim(webhookId, database.clock.now(), limit, LEASE_MS),
		);
	const claimOne = async () => (await claim(1))[0] ?? assert.fail("nothing is due");
	const settle = (claimed: ClaimedWebhookDelivery, outcome: typeof OK) =>
		settleDelivery({ db: database.db, clock: database.clock.now, random: () => 0 }, claimed, outcome);
	const rowsOf = async (id: string) =>
		(
			await database.db.stores.webhookDeliveries.list(
				{ tenantId: database.tenantId, webhookId: id },
				{ page: 1, pageSize: 100 },
			)
		).items;

	it("fails by the share of about the last hour, which one success does not hide", async () => {
		const { db, clock, tenantId } = database;
		const { webhooks } = db.stores;
		const state = async () => {
			const webhook = (await webhooks.findById(tenantId, webhookId)) ?? assert.fail();
			return [isFailing(webhook, clock.now()), ...Object.values(recentAttempts(webhook, clock.now()))];
		};
		const note = async (outcome: "noteDelivered" | "noteFailing", times: number) => {
			for (let each = 0; each < times; each++)
				await db.transaction<unknown>(({ webhooks }) => webhooks[outcome](webhookId, clock.now()));
		};
		await note("noteFailing", 4);
		await note("noteDelivered", 1);
		assert.deepEqual(await state(), [true, 5, 4]);
		await note("noteDelivered", 16);
		assert.deepEqual(await state(), [false, 21, 4]);
		clock.advance(WEBHOOK_RECENT_MS);
		await note("noteFailing", 1);
		assert.deepEqual(await state(), [true, 11, 3], "half of the earlier ones counts");
		await webhooks.update(tenantId, webhookId, { status: "active" }, clock.now());
		assert.deepEqual(await state(), [false, 0, 0]);
		await note("noteFailing", 1);
		clock.advance(2 * WEBHOOK_RECENT_MS);
		assert.deepEqual(await state(), [true, 0, 0], "the last attempt failed");
		await note("noteDelivered", 1);
		assert.deepEqual(await state(), [false, 1, 0]);
	});

	it("claims subscribed events, each for one caller", async () => {
		const other = await addWebhook(["grant.*"]);
		for (const action of ["user.created", "grant.created", "user.sign_in_failed", "user.signed_in"] as const)
			await happen(action);
		assert.deepEqual(
			(await rowsOf(webhookId)).map(({ eventType }) => eventType),
			["user.created"],
		);
		assert.deepEqual(
			(await rowsOf(other)).map(({ eventType }) => eventType),
			["grant.created"],
		);
		const taken = await Promise.all(Array.from({ length: 10 }, () => claim()));
		assert.equal(taken.flat().length, 1);
	});

	it("makes a delivery due again when its lease ends, and ignores a late outcome", async () => {
		await happen("user.created");
		const first = await claimOne();
		assert.deepEqual(await claim(), []);
		database.clock.advance(LEASE_MS);
		const second = await claimOne();
		assert.deepEqual([second.id, second.attempts], [first.id, 2]);
		assert.equal(await settle(first, BAD), "overtaken");
		assert.equal(await settle(second, OK), "delivered");
		assert.equal(await settle(second, BAD), "overtaken");
		assert.equal((await rowsOf(webhookId))[0]?.status, "delivered");
	});

	it("fails a delivery after three days, and leaves a webhook active that accepted another", async () => {
		await happen("user.created");
		assert.equal(await settle(await claimOne(), BAD), "retried");
		database.clock.advance(DAY_MS);
		await happen("user.updated");
		const both = await claim();
		assert.equal(both.length, 2);
		for (const one of both) await settle(one, one.eventType === "user.updated" ? OK : BAD);
		database.clock.advance(2 * DAY_MS + HOUR_MS);
		assert.equal(await settle(await claimOne(), BAD), "given_up");
		const webhook = await database.db.stores.webhooks.findById(database.tenantId, webhookId);
		assert.equal(webhook?.status, "active");
	});

	it("disables a webhook that accepted nothing in that time, and fails its pending deliveries", async () => {
		await happen("user.created");
		assert.equal(await settle(await claimOne(), BAD), "retried");
		database.clock.advance(3 * DAY_MS);
		await happen("user.updated");
		const [old, young] = await claim();
		assert.ok(old && young);
		assert.equal(await settle(old, BAD), "disabled");
		assert.deepEqual(
			(await rowsOf(webhookId)).map(({ status }) => status),
			["failed", "failed"],
		);
		assert.equal(await settle(young, BAD), "overtaken");
		await happen("user.deleted");
		assert.equal((await rowsOf(webhookId)).length, 2);
		assert.deepEqual(await claim(), []);
	});

	it("purges deliveries 30 days after they finished, and keeps pending ones", async () => {
		await happen("user.created");
		await happen("user.updated");
		await settle(await claimOne(), OK);
		const { webhookDeliveries } = database.db.stores;
		const purge = (beforeMs: number) => webhookDeliveries.purge(beforeMs, 100);
		database.clock.advance(30 * DAY_MS);
		await purge(database.clock.now() - 30 * DAY_MS);
		assert.equal((await rowsOf(webhookId)).length, 2);
		await purge(database.clock.now() - 30 * DAY_MS + 1);
		assert.deepEqual(
			(await rowsOf(webhookId)).map(({ status }) => status),
			["pending"],
		);
	});
});

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

	it("subtracts up to a quarter at random", () => {
		const claimed = { roundAttempts: 6, giveUpAtMs: 3 * DAY_MS };
		assert.equal(
			nextAttemptAtMs(claimed, 0, undefined, () => 0.999_999_9),
			0.75 * HOUR_MS,
		);
	});

	it("honors Retry-After up to six hours, and never shortens its own delay", () => {
		const claimed = { roundAttempts: 1, giveUpAtMs: 3 * DAY_MS };
		assert.equal(nextAttemptAtMs(claimed, 0, 120, never), 120 * SECOND_MS);
		assert.equal(nextAttemptAtMs(claimed, 0, 1, never), 5 * SECOND_MS);
		assert.equal(nextAttemptAtMs(claimed, 0, 999_999, never), 6 * HOUR_MS);
		assert.equal(nextAttemptAtMs({ ...claimed, giveUpAtMs: 60_000 }, 0, 120, never), 60_000);
	});
});
