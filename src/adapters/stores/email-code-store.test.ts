import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import type { EmailCodeKey } from "../../domain/mailed-code.ts";
import { HOUR_MS, MINUTE_MS } from "../../kernel/clock.ts";

onEachEngine("email code store", (database) => {
	let key: EmailCodeKey;
	let made = 0;
	beforeEach(() => {
		key = { tenantId: database.tenantId, purpose: "registration", address: `a${++made}@b.example` };
	});

	const put = (codeDigest: string) => {
		const { db, clock } = database;
		const expiresAtMs = clock.now() + 10 * MINUTE_MS;
		return db.transaction(async ({ emailCodes }) => {
			const mail = { purpose: "registration", address: key.address } as const;
			const refused = await emailCodes.countSend(mail, clock.now());
			if (refused === undefined) await emailCodes.put({ ...key, codeDigest, expiresAtMs });
			return refused;
		});
	};
	const tryCode = (codeDigest: string, of: EmailCodeKey = key) =>
		database.db.transaction(({ emailCodes }) => emailCodes.tryCode(of, codeDigest, database.clock.now()));
	const consume = (codeDigest: string) =>
		database.db.transaction(({ emailCodes }) => emailCodes.consume(key, codeDigest, database.clock.now()));
	const purge = () => database.db.stores.emailCodes.purge(database.clock.now(), 100);
	const purgeSends = () => database.db.stores.emailCodes.purgeSends(database.clock.now(), 100);

	describe("countSend", () => {
		it("refuses a second code within a minute, and allows it after exactly a minute", async () => {
			const sentAt = database.clock.now();
			assert.equal(await put("one"), undefined);
			database.clock.advance(MINUTE_MS - 1);
			assert.deepEqual(await put("two"), { limit: 1, retryAtMs: sentAt + MINUTE_MS });
			assert.equal(await tryCode("one"), "right");
			database.clock.advance(1);
			assert.equal(await put("three"), undefined);
			assert.equal(await tryCode("one"), "wrong");
			assert.equal(await tryCode("three"), "right");
		});

		it("allows five within any hour", async () => {
			const firstAt = database.clock.now();
			for (let sent = 0; sent < 5; sent++) {
				assert.equal(await put(`code ${sent}`), undefined);
				database.clock.advance(MINUTE_MS);
			}
			assert.deepEqual(await put("six"), { limit: 5, retryAtMs: firstAt + HOUR_MS });
			database.clock.advance(55 * MINUTE_MS - 1);
			assert.deepEqual(await put("six"), { limit: 5, retryAtMs: firstAt + HOUR_MS });
			database.clock.advance(1);
			assert.equal(await put("six"), undefined);
			// The second is a minute younger, so the seventh has to wait for that minute, too.
			assert.notEqual(await put("seven"), undefined);
		});

		it("allows one of many concurrent requests", async () => {
			const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => put(`code ${n}`)));
			assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 1);
		});

		it("counts receipts of access requests the same way, regardless of the clock of the caller", async () => {
			const mail = { purpose: "access_request", address: key.address } as const;
			const send = (nowMs: number) =>
				database.db.transaction(({ emailCodes }) => emailCodes.countSend(mail, nowMs));
			const now = database.clock.now();
			assert.equal(await send(now), undefined);
			for (const at of [now - 1, now, now + 1]) assert.equal((await send(at))?.limit, 1);
			assert.equal(await send(now + MINUTE_MS), undefined);
		});

		it("keeps counting after the code was used", async () => {
			await put("one");
			assert.equal(await consume("one"), true);
			assert.notEqual(await put("two"), undefined);
		});
	});

	describe("tryCode", () => {
		it("allows five wrong attempts, and then refuses even the right code", async () => {
			await put("right");
			for (let wrong = 0; wrong < 4; wrong++) assert.equal(await tryCode("wrong"), "wrong");
			assert.equal(await tryCode("right"), "right");
			assert.equal(await tryCode("wrong"), "wrong");
			assert.equal(await tryCode("right"), "dead");
			assert.equal(await consume("right"), false);
		});

		it("checks at most five of many concurrent guesses", async () => {
			await put("right");
			const outcomes = await Promise.all(Array.from({ length: 200 }, (_, n) => tryCode(`guess ${n}`)));
			assert.equal(outcomes.filter((outcome) => outcome === "wrong").length, 5);
			assert.equal(outcomes.filter((outcome) => outcome === "dead").length, 195);
		});

		it("reports no live code at its expiry, and for an address or tenant without one", async () => {
			await put("right");
			assert.equal(await tryCode("right", { ...key, address: "other@b.example" }), "dead");
			assert.equal(await tryCode("right", { ...key, tenantId: "other" }), "dead");
			database.clock.advance(10 * MINUTE_MS - 1);
			assert.equal(await tryCode("right"), "right");
			database.clock.advance(1);
			assert.equal(await tryCode("right"), "dead");
			assert.equal(await consume("right"), false);
		});
	});

	describe("consume", () => {
		it("is true for one of many concurrent callers", async () => {
			await put("right");
			assert.equal(await consume("wrong"), false);
			const outcomes = await Promise.all(Array.from({ length: 20 }, () => consume("right")));
			assert.equal(outcomes.filter(Boolean).length, 1);
			assert.equal(await tryCode("right"), "dead");
			// The row that a used code leaves behind is not a code.
			assert.equal(await consume(""), false);
		});
	});

	describe("purge", () => {
		it("keeps codes until they expire and sends while they count, and deletes the rest", async () => {
			database.clock.advance(10 * HOUR_MS);
			await purge();
			await purgeSends();
			await put("one");
			database.clock.advance(10 * MINUTE_MS - 1);
			assert.equal(await purge(), 0);
			database.clock.advance(1);
			assert.equal(await purge(), 1);
			database.clock.advance(50 * MINUTE_MS - 1);
			assert.equal(await purgeSends(), 0);
			database.clock.advance(1);
			assert.equal(await purgeSends(), 1);
		});
	});
});
