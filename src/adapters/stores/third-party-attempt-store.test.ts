import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../../test/harness/database.ts";
import type { NewThirdPartyAttempt } from "../../domain/third-party-attempt.ts";
import type { NewUser } from "../../domain/user.ts";
import { newId } from "../../kernel/id.ts";

const LIFE_MS = 600_000;
let made = 0;

describe("attempts and tickets of third-party login", () => {
	let database: TestDatabase;
	let ada: NewUser;
	before(async () => {
		database = await openTestDatabase();
		ada = await database.addUser({ username: "ada" });
	});
	after(() => database.close());

	const attempts = () => database.db.stores.thirdPartyAttempts;
	const begin = async (fields: Partial<NewThirdPartyAttempt> = {}): Promise<NewThirdPartyAttempt> => {
		const now = database.clock.now();
		const attempt: NewThirdPartyAttempt = {
			id: newId(now),
			tenantId: ada.tenantId,
			providerId: newId(now),
			appId: null,
			redirectUri: "https://app.example.com/back",
			codeChallenge: "",
			linkTo: null,
			beginDigest: `begin-${++made}`,
			browserDigest: null,
			expiresAtMs: now + LIFE_MS,
			...fields,
		};
		await attempts().insert(attempt);
		return attempt;
	};
	const bind = (
		id: string,
		browserDigest: string,
		stateDigest: string,
		fromAny = false,
	): Promise<boolean> => {
		const binding = { browserDigest, stateDigest, protocolSealed: `sealed for ${stateDigest}` };
		return attempts().bind(id, binding, fromAny, database.clock.now());
	};
	const take = (state: string, browser: string) =>
		database.db.transaction((stores) => stores.thirdPartyAttempts.take(state, browser, database.clock.now()));

	it("are found unchanged by the token that began them", async () => {
		const linkTo = { userId: ada.id, sessionId: newId(0) };
		const { beginDigest, ...attempt } = await begin({ linkTo, appId: newId(0), browserDigest: "browser" });
		assert.deepEqual(await attempts().findBegun(beginDigest, database.clock.now()), attempt);
		assert.equal(await attempts().findBegun(beginDigest, attempt.expiresAtMs), undefined);
		assert.equal(await attempts().findBegun("none", database.clock.now()), undefined);
	});

	it("belong to one browser, and to another only if the caller allows it", async () => {
		const { id } = await begin();
		assert.equal(await bind(id, "mine", "state-1"), true);
		assert.equal(await bind(id, "theirs", "state-2"), false);
		assert.equal(await bind(id, "mine", "state-3"), true);
		assert.equal(await take("state-1", "mine"), undefined);
		assert.equal(await bind(id, "theirs", "state-4", true), true);
		assert.equal(await take("state-4", "mine"), undefined);
		assert.equal((await take("state-4", "theirs"))?.protocolSealed, "sealed for state-4");
	});

	it("are taken by one of many concurrent callers", async () => {
		const { id } = await begin();
		await bind(id, "browser", "state-5");
		const taken = await Promise.all(Array.from({ length: 8 }, () => take("state-5", "browser")));
		assert.deepEqual(
			taken.filter((attempt) => attempt !== undefined).map((attempt) => attempt.id),
			[id],
		);
		assert.equal(await bind(id, "browser", "state-6"), false);
	});

	it("tickets are consumed once, and both are purged when they have expired", async () => {
		const now = database.clock.now();
		const account = {
			id: newId(now),
			tenantId: ada.tenantId,
			userId: ada.id,
			provider: "corp",
			providerUserId: "1",
			linkedAtMs: now,
		};
		await database.db.stores.thirdPartyAccounts.insert(account);
		const browser = { ip: "192.0.2.1", userAgent: "Firefox", acceptLanguage: "en" };
		const ticket = {
			tenantId: ada.tenantId,
			accountId: account.id,
			appId: null,
			codeChallenge: "",
			browser,
			browserDigest: null,
		};
		const { tickets } = database.db.stores;
		for (const digest of ["one", "two"])
			await tickets.insert({ ...ticket, digest, expiresAtMs: now + 60_000 });
		const found = await tickets.find("one", now);
		assert.deepEqual(found?.ticket, { ...ticket, digest: "one", expiresAtMs: now + 60_000 });
		assert.equal(found?.user.id, ada.id);
		const consumed = await Promise.all(Array.from({ length: 8 }, () => tickets.consume("one", now)));
		assert.equal(consumed.filter(Boolean).length, 1);
		assert.equal(await tickets.consume("two", now + 60_000), false);
		assert.deepEqual([await tickets.purge(now + 59_999, 10), await tickets.purge(now + 60_000, 10)], [0, 1]);
		assert.equal(await attempts().purge(now, 10), 0);
		assert.equal(await attempts().purge(now + 2 * LIFE_MS, 1), 1);
	});
});
