import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../../test/harness/databases/database.ts";
import type { Session } from "../../domain/session.ts";
import { DAY_MS, MINUTE_MS } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";

const FROM = { ip: "192.0.2.7", userAgent: "another device" };
const PAGE = { page: 1, pageSize: 20 };

describe("session store", () => {
	let database: TestDatabase;
	let userId: string;
	let people = 0;
	let made = 0;
	before(async () => {
		database = await openTestDatabase();
	});
	after(() => database.close());
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
			refreshDigest: `digest ${++made}`,
			refreshExpiresAtMs: now + 7 * DAY_MS,
			absoluteExpiresAtMs: now + 30 * DAY_MS,
			authenticatedAtMs: now,
			amr: ["pwd", "otp"],
			ip: "192.0.2.1",
			userAgent: "a device",
			createdAtMs: now,
			lastUsedAtMs: now,
			...fields,
		};
		await store().insert(session);
		return session;
	};
	const rotate = ({ id, refreshDigest, absoluteExpiresAtMs }: Session, digest: string) =>
		database.db.transaction(({ sessions }) =>
			sessions.rotate(
				id,
				refreshDigest,
				{ digest, refreshExpiresAtMs: absoluteExpiresAtMs },
				FROM,
				database.clock.now(),
			),
		);

	it("returns what was stored", async () => {
		const session = await add({ appId: newId(database.clock.now()) });
		assert.deepEqual(await store().findById(session.id), session);
		assert.deepEqual(await store().findByRefreshDigest(session.refreshDigest), session);
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
		it("succeeds for one of many concurrent callers, and stores the used token with its time", async () => {
			const session = await add();
			database.clock.advance(MINUTE_MS);
			const outcomes = await Promise.all(Array.from({ length: 20 }, () => rotate(session, `next ${made}`)));
			assert.equal(outcomes.filter(Boolean).length, 1);
			const now = database.clock.now();
			assert.deepEqual(await store().findUsedRefresh(session.refreshDigest), {
				sessionId: session.id,
				usedAtMs: now,
			});
			const rotated = await store().findByRefreshDigest(`next ${made}`);
			assert.equal(rotated?.ip, FROM.ip);
			assert.equal(rotated?.userAgent, FROM.userAgent);
			assert.equal(rotated?.lastUsedAtMs, now);
			assert.equal(rotated?.refreshExpiresAtMs, session.absoluteExpiresAtMs);
		});

		it("refuses an ended and an expired session", async () => {
			const ended = await add();
			await store().end(database.tenantId, userId, ended.id, database.clock.now());
			assert.equal(await rotate(ended, "x"), false);
			const expired = await add({ refreshExpiresAtMs: database.clock.now() });
			assert.equal(await rotate(expired, "y"), false);
			assert.equal(await store().findUsedRefresh(expired.refreshDigest), undefined);
		});

		it("deletes the used tokens with their session", async () => {
			const session = await add();
			await rotate(session, `gone ${made}`);
			await store().end(database.tenantId, userId, session.id, database.clock.now());
			assert.equal(await store().findUsedRefresh(session.refreshDigest), undefined);
		});
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
