import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import type { Session } from "../../domain/session.ts";
import { DAY_MS, MINUTE_MS } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import { createSessionStore } from "./session-store.ts";

const FROM = { ip: "192.0.2.7", userAgent: "another device" };
const PAGE = { page: 1, pageSize: 20 };

onEachEngine("session store", (database, engine) => {
	let userId: string;
	let people = 0;
	let made = 0;
	beforeEach(async () => {
		userId = (await database.addUser({ username: `person-${++people}` })).id;
	});

	const store = () => database.db.stores.sessions;
	const add = async (fields: Partial<Session> = {}): Promise<Session> => {
		const now = database.clock.now();
		const session: Session = {
			id: newId(now),
			tenantId: database.tenantId,
			userId,
			appId: null,
			generation: 0,
			secretDigest: `digest ${++made}`,
			rotatedAtMs: now,
			refreshExpiresAtMs: now + 7 * DAY_MS,
			absoluteExpiresAtMs: now + 30 * DAY_MS,
			authenticatedAtMs: now,
			amr: ["pwd", "otp"],
			provider: null,
			ip: "192.0.2.1",
			userAgent: "a device",
			createdAtMs: now,
			lastUsedAtMs: now,
			...fields,
		};
		await store().insert(session);
		return session;
	};
	const rotate = ({ id, generation, absoluteExpiresAtMs }: Session) =>
		store().rotate(id, generation, absoluteExpiresAtMs, FROM, database.clock.now());

	it("returns what was stored", async () => {
		const session = await add({ appId: newId(database.clock.now()) });
		assert.deepEqual(await store().findById(session.id), session);
		const signedIn = await store().findSignedIn(session.id, database.clock.now());
		assert.equal(signedIn?.user.id, userId);
		assert.equal(signedIn?.appId, session.appId);
	});

	it("finds no user for an expired or revoked session, or if the user is disabled", async () => {
		const now = database.clock.now();
		const expired = await add({ refreshExpiresAtMs: now });
		const ended = await add();
		const idle = await add();
		assert.equal(await store().end(database.tenantId, userId, ended.id, database.clock.now()), true);
		assert.equal(await store().end(database.tenantId, userId, ended.id, database.clock.now()), false);
		assert.equal(
			await store().end(newId(now), userId, idle.id, database.clock.now()),
			false,
			"not from another tenant",
		);
		assert.equal(await store().findSignedIn(expired.id, now), undefined);
		assert.notEqual(await store().findSignedIn(expired.id, now - 1), undefined);
		assert.equal(await store().findSignedIn(ended.id, now), undefined);
		await database.db.transaction(({ users }) =>
			users.update(database.tenantId, userId, { status: "disabled" }, now),
		);
		assert.equal(await store().findSignedIn(idle.id, now), undefined);
	});

	describe("rotate", () => {
		it("succeeds for one of many concurrent callers, and stores its time and origin", async () => {
			const session = await add();
			database.clock.advance(MINUTE_MS);
			const outcomes = await Promise.all(Array.from({ length: 20 }, () => rotate(session)));
			assert.equal(outcomes.filter(Boolean).length, 1);
			const now = database.clock.now();
			assert.deepEqual(await store().findById(session.id), {
				...session,
				...FROM,
				generation: 1,
				rotatedAtMs: now,
				lastUsedAtMs: now,
				refreshExpiresAtMs: session.absoluteExpiresAtMs,
			});
		});

		it("refuses an ended and an expired session, and any other generation", async () => {
			const ended = await add();
			await store().end(database.tenantId, userId, ended.id, database.clock.now());
			assert.equal(await rotate(ended), false);
			assert.equal(await rotate(await add({ refreshExpiresAtMs: database.clock.now() })), false);
			const session = await add({ generation: 5 });
			assert.equal(await rotate({ ...session, generation: 4 }), false);
			assert.equal(await rotate({ ...session, generation: 6 }), false);
		});

		it("writes no index on PostgreSQL", {
			skip: engine === "sqlite" && "SQLite writes only changed indexes",
		}, async () => {
			const { id, absoluteExpiresAtMs } = await add();
			// Includes what this connection has not yet added to the statistics.
			const READ_HOT = "SELECT pg_stat_get_xact_tuples_hot_updated(CAST('sessions' AS regclass)) AS hot";
			let withoutIndexes = 0;
			for (let generation = 0; generation < 20; generation++)
				await database.engine.transaction(async (queries) => {
					const read = async () => (await queries.one<{ hot: number }>(READ_HOT))?.hot ?? 0;
					const { rotate } = createSessionStore(queries);
					const before = await read();
					assert.equal(await rotate(id, generation, absoluteExpiresAtMs, FROM, database.clock.now()), true);
					withoutIndexes += (await read()) - before;
				});
			// A full page moves the row once, while a snapshot of other work keeps its old versions; an indexed column would give 0.
			assert.ok(withoutIndexes >= 15, `${withoutIndexes} of 20`);
		});
	});

	it("extends a session without another generation: a used token stays used", async () => {
		const session = await add();
		assert.equal(await rotate(session), true);
		const rotatedAtMs = database.clock.now();
		database.clock.advance(MINUTE_MS);
		const now = database.clock.now();
		await database.db.transaction(({ sessions }) => sessions.extend(session.id, now));
		const extended = await store().findById(session.id);
		assert.deepEqual(
			[extended?.generation, extended?.rotatedAtMs, extended?.lastUsedAtMs],
			[1, rotatedAtMs, now],
		);
	});

	it("purges a session at its expiry, and one that was extended only then", async () => {
		const now = database.clock.now();
		const purge = () =>
			database.db.transaction(({ sessions }) => sessions.purgeExpired(database.clock.now(), 100));
		const short = await add({ refreshExpiresAtMs: now + MINUTE_MS });
		const extended = await add({
			refreshExpiresAtMs: now + MINUTE_MS,
			absoluteExpiresAtMs: now + 3 * MINUTE_MS,
		});
		assert.equal(await rotate(extended), true);
		const isStored = async ({ id }: Session) => (await store().findById(id)) !== undefined;
		database.clock.advance(MINUTE_MS);
		await purge();
		assert.deepEqual([await isStored(short), await isStored(extended)], [false, true]);
		database.clock.advance(2 * MINUTE_MS - 1);
		await purge();
		assert.equal(await isStored(extended), true);
		database.clock.advance(1);
		await purge();
		assert.equal(await isStored(extended), false);
	});

	it("shares expired sessions between nodes that purge at the same time", {
		skip: engine === "sqlite" && "one writer",
	}, async () => {
		const now = database.clock.now();
		for (let added = 0; added < 25; added++) await add({ refreshExpiresAtMs: now });
		const purge = () => database.db.transaction(({ sessions }) => sessions.purgeExpired(now, 10));
		const purged = await database.db.transaction(async ({ sessions }) => {
			const first = await sessions.purgeExpired(now, 10);
			// While the first ten are locked.
			return [first, await purge(), await purge(), await purge()];
		});
		assert.deepEqual(purged, [10, 10, 5, 0]);
	});

	it("ends all sessions of a user except one, and counts the live ones", async () => {
		const now = database.clock.now();
		const kept = await add();
		await add();
		await add();
		await add({ refreshExpiresAtMs: now });
		const ended = await database.db.transaction(({ sessions }) =>
			sessions.endAll(database.tenantId, userId, now, kept.id),
		);
		assert.equal(ended, 2);
		const { items, total } = await store().list(database.tenantId, userId, now, PAGE);
		assert.equal(total, 1);
		assert.equal(items[0]?.id, kept.id);
	});
});
