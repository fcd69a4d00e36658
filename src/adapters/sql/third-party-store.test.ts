import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../../test/harness/database.ts";
import type { ThirdPartyAccount } from "../../features/third-party/model.ts";
import type { NewUser } from "../../features/users/model.ts";
import { newId } from "../../kernel/id.ts";

const PAGE = { page: 1, pageSize: 20 };

describe("third-party account store", () => {
	let database: TestDatabase;
	let ada: NewUser;
	let account: ThirdPartyAccount;
	before(async () => {
		database = await openTestDatabase();
		ada = await database.addUser({ username: "ada" });
		account = accountOf(ada, "wechat", "oX-1");
		await accounts().insert(account);
	});
	after(() => database.close());

	const accounts = () => database.db.stores.thirdPartyAccounts;
	const accountOf = (user: NewUser, provider: string, providerUserId: string): ThirdPartyAccount => {
		const now = database.clock.now();
		const { id: userId, tenantId } = user;
		return { id: newId(now), tenantId, userId, provider, providerUserId, linkedAtMs: now };
	};

	it("finds the user behind an identity, compared exactly", async () => {
		const { passwordHash: _, ...user } = ada;
		assert.deepEqual(await accounts().findUser(ada.tenantId, "wechat", "oX-1"), { user, account });
		for (const [provider, id] of [
			["wechat", "ox-1"],
			["wechat", "oX-1 "],
			["wechat", "oX-"],
			["wechat2", "oX-1"],
		] as const)
			assert.equal(await accounts().findUser(ada.tenantId, provider, id), undefined);
	});

	it("takes an identity once", async () => {
		const bob = await database.addUser({ username: "bob" });
		const same = [
			accountOf(ada, "github", "7"),
			accountOf(bob, "github", "7"),
			accountOf(ada, "github", "7"),
		];
		const results = await Promise.all(same.map((one) => accounts().insert(one)));
		assert.deepEqual(results, [true, false, false]);
		assert.equal(await accounts().insert(accountOf(ada, "github", "07")), true);
	});

	it("keeps tenants and users apart", async () => {
		const foreign = newId(database.clock.now());
		assert.equal(await accounts().findUser(foreign, "wechat", "oX-1"), undefined);
		assert.equal((await accounts().list(foreign, ada.id, PAGE)).total, 0);
		assert.equal(await accounts().remove(foreign, ada.id, account.id), false);
		assert.equal(await accounts().remove(ada.tenantId, foreign, account.id), false);
		assert.equal(await accounts().remove(ada.tenantId, ada.id, account.id), true);
		assert.equal(await accounts().findUser(ada.tenantId, "wechat", "oX-1"), undefined);
	});

	it("goes with its user", async () => {
		await database.db.stores.users.remove(ada.tenantId, ada.id);
		assert.equal(await accounts().findUser(ada.tenantId, "github", "7"), undefined);
	});
});
