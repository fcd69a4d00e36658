import assert from "node:assert/strict";
import { before, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import type { ThirdPartyAccount } from "../../domain/third-party-account.ts";
import type { NewUser } from "../../domain/user.ts";
import { newId } from "../../kernel/id.ts";

const PAGE = { page: 1, pageSize: 20 };

onEachEngine("third-party account store", (database) => {
	let ada: NewUser;
	let account: ThirdPartyAccount;
	before(async () => {
		ada = await database.addUser({ username: "ada" });
		account = accountOf(ada, "wechat", "oX-1");
		await accounts().insert(account);
	});

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

	it("links an identity once", async () => {
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

	it("finds a user by any known id; an id that belongs to a user is not reassigned", async () => {
		const bea = await database.addUser({ username: "bea" });
		const [first, second] = [accountOf(ada, "wechat", "union-1"), accountOf(bea, "wechat", "union-2")];
		for (const one of [first, second]) await accounts().insert(one);
		await accounts().addAliases(first, ["open-1", "open-2", "open-1"]);
		await accounts().addAliases(second, ["open-1", "union-1", "union-2", "open-3"]);
		const foundBy = async (id: string) => {
			const found = await accounts().findUser(ada.tenantId, "wechat", id);
			return (
				found && [found.user.username, found.account.id === first.id, found.account.providerUserId === id]
			);
		};
		for (const id of ["union-1", "open-1", "open-2"])
			assert.deepEqual(await foundBy(id), ["ada", true, true]);
		for (const id of ["union-2", "open-3"]) assert.deepEqual(await foundBy(id), ["bea", false, true]);
		assert.equal(await accounts().findUser(ada.tenantId, "github", "open-1"), undefined);
		assert.equal(await accounts().insert(accountOf(bea, "wechat", "open-1")), false);
		assert.equal(await accounts().insert(accountOf(bea, "github", "open-1")), true);
		assert.equal(await accounts().removeAll(ada.tenantId, bea.id), 2);
		assert.equal(await foundBy("open-3"), undefined);
	});

	it("keeps tenants and users apart", async () => {
		const foreign = newId(database.clock.now());
		assert.equal(await accounts().findUser(foreign, "wechat", "oX-1"), undefined);
		assert.equal((await accounts().list(foreign, ada.id, PAGE)).total, 0);
		const remove = (tenantId: string, userId: string) =>
			database.db.transaction((stores) => stores.thirdPartyAccounts.remove(tenantId, userId, account.id));
		assert.equal(await remove(foreign, ada.id), "missing");
		assert.equal(await remove(ada.tenantId, foreign), "missing");
		assert.equal(await remove(ada.tenantId, ada.id), "removed");
		assert.equal(await accounts().findUser(ada.tenantId, "wechat", "oX-1"), undefined);
	});

	it("is deleted with its user", async () => {
		await database.db.stores.users.remove(ada.tenantId, ada.id);
		assert.equal(await accounts().findUser(ada.tenantId, "github", "7"), undefined);
	});
});
