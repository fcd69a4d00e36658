import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { ANY_ADDRESS, accountSubject } from "../../domain/sign-in-attempt.ts";
import { DAY_MS, SECOND_MS } from "../../kernel/clock.ts";

const IP = "192.0.2.1";

onEachEngine("login failure store", (database) => {
	let subject: string;
	let made = 0;
	beforeEach(() => {
		subject = accountSubject(String(++made));
	});

	const reserve = (ip = IP) =>
		database.db.transaction(({ loginFailures }) =>
			loginFailures.reserve(database.tenantId, subject, ip, database.clock.now()),
		);
	const count = (of = subject) =>
		database.db.transaction(({ loginFailures }) =>
			loginFailures.count(database.tenantId, of, database.clock.now()),
		);
	const store = () => database.db.stores.loginFailures;
	const purge = () => store().purge(database.clock.now(), 100);
	const waitSeconds = async () => {
		const refused = await reserve();
		return refused === undefined ? 0 : (refused.blockedUntilMs - database.clock.now()) / SECOND_MS;
	};

	describe("reserve", () => {
		it("allows five failures, then requires a wait of 30 s that doubles up to 15 minutes", async () => {
			for (let failure = 0; failure < 5; failure++) assert.equal(await waitSeconds(), 0);
			for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
				assert.equal(await waitSeconds(), seconds);
				database.clock.advance(seconds * SECOND_MS - 1);
				assert.notEqual(await waitSeconds(), 0);
				database.clock.advance(1);
				assert.equal(await waitSeconds(), 0);
			}
		});

		it("allows five of many concurrent attempts", async () => {
			// Twenty at a time: of 200, a slow machine refuses those that wait 1.9 s for a connection to PostgreSQL.
			const attemptTen = async () => {
				const outcomes: Awaited<ReturnType<typeof reserve>>[] = [];
				for (let attempt = 0; attempt < 10; attempt++) outcomes.push(await reserve());
				return outcomes;
			};
			const outcomes = (await Promise.all(Array.from({ length: 20 }, attemptTen))).flat();
			assert.equal(outcomes.length, 200);
			assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 5);
		});

		it("counts each address, subject, and tenant separately", async () => {
			for (let failure = 0; failure < 5; failure++) await reserve();
			assert.notEqual(await reserve(), undefined);
			assert.equal(await reserve("192.0.2.2"), undefined);
			const now = database.clock.now();
			const elsewhere = database.db.transaction(({ loginFailures }) =>
				loginFailures.reserve("other", subject, IP, now),
			);
			assert.equal(await elsewhere, undefined);
		});

		it("resets a day after the last attempt", async () => {
			for (let failure = 0; failure < 4; failure++) await reserve();
			database.clock.advance(DAY_MS);
			for (let failure = 0; failure < 5; failure++) assert.equal(await reserve(), undefined);
			assert.notEqual(await reserve(), undefined);
		});

		it("waits for a node whose clock is ahead, and not for a clock that was set back", async () => {
			for (let failure = 0; failure < 5; failure++) await reserve();
			database.clock.advance(-10 * SECOND_MS);
			assert.equal(await waitSeconds(), 40);
			database.clock.advance(-SECOND_MS);
			assert.equal(await waitSeconds(), 0);
			assert.equal(await waitSeconds(), 60);
			database.clock.advance(11 * SECOND_MS);
		});

		it("resets after a correct password", async () => {
			for (let failure = 0; failure < 5; failure++) await reserve();
			await store().clear(database.tenantId, subject, IP);
			for (let failure = 0; failure < 5; failure++) assert.equal(await reserve(), undefined);
			assert.notEqual(await reserve(), undefined);
		});
	});

	describe("release", () => {
		it("releases one attempt and the wait it started", async () => {
			for (let failure = 0; failure < 5; failure++) await reserve();
			await store().release(database.tenantId, subject, IP);
			assert.equal(await reserve(), undefined);
			assert.notEqual(await reserve(), undefined);
		});

		it("never counts below zero", async () => {
			await reserve();
			for (let times = 0; times < 3; times++) await store().release(database.tenantId, subject, IP);
			for (let failure = 0; failure < 5; failure++) assert.equal(await reserve(), undefined);
			assert.notEqual(await reserve(), undefined);
		});
	});

	describe("count", () => {
		it("counts across all addresses, without a limit, until it is cleared", async () => {
			for (let failure = 1; failure <= 150; failure++) assert.equal(await count(), failure);
			await store().release(database.tenantId, subject, ANY_ADDRESS);
			assert.equal(await count(), 150);
			await store().clear(database.tenantId, subject, ANY_ADDRESS);
			assert.equal(await count(), 1);
		});

		it("returns a different count to each of many concurrent attempts", async () => {
			const counts = await Promise.all(Array.from({ length: 50 }, () => count()));
			assert.equal(new Set(counts).size, 50);
		});
	});

	describe("purge", () => {
		it("purges an address after a day, a count after a month, and a lock never", async () => {
			database.clock.advance(365 * DAY_MS);
			await purge();
			const locked = accountSubject("locked");
			await reserve();
			await count();
			await count("name:nobody");
			for (let failure = 0; failure < 100; failure++) await count(locked);
			database.clock.advance(DAY_MS - 1);
			assert.equal(await purge(), 0);
			database.clock.advance(1);
			assert.equal(await purge(), 2);
			database.clock.advance(29 * DAY_MS);
			assert.equal(await purge(), 1);
			database.clock.advance(365 * DAY_MS);
			assert.equal(await purge(), 0);
			assert.equal(await count(locked), 101);
		});
	});
});
