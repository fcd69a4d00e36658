import assert from "node:assert/strict";
import { before, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { explainQueries } from "../../../test/harness/databases/explained-queries.ts";
import { userCiphers } from "../../crypto/user-ciphers.ts";
import type { NewUser } from "../../domain/user.ts";
import { newId } from "../../kernel/id.ts";
import { createUserStore } from "./user-store.ts";

const PAGE = { page: 1, pageSize: 20 };
const KEYS = { userCiphers, seal: (text: string): string => text };

onEachEngine("user store", (database) => {
	let otherTenantId: string;
	let ada: NewUser;
	before(async () => {
		const now = database.clock.now();
		otherTenantId = newId(now);
		const tenant = { id: otherTenantId, name: "Other", slug: "other", createdAtMs: now, updatedAtMs: now };
		await database.db.transaction(({ tenants }) => tenants.insert(tenant));
		ada = await database.addUser({
			username: "Ada",
			email: "ada@people.example",
			roles: ["admin"],
			passwordHash: "first",
		});
	});

	const users = () => database.db.stores.users;

	it("returns what was stored", async () => {
		const { passwordHash: _, ...plain } = ada;
		assert.deepEqual(await users().findById(ada.tenantId, ada.id), plain);
		assert.deepEqual(await users().findWithPassword(ada.tenantId, ada.id), ada);
		for (const login of ["ada", "ADA", "Ada@People.Example"])
			assert.deepEqual(await users().findByLogin(ada.tenantId, login), ada);
		assert.equal(await users().findByLogin(ada.tenantId, "ada@other.example"), undefined);
	});

	it("keeps tenants apart in every call", async () => {
		const { id } = ada;
		assert.equal(await users().findById(otherTenantId, id), undefined);
		assert.equal(await users().findWithPassword(otherTenantId, id), undefined);
		assert.equal(await users().findByLogin(otherTenantId, "ada"), undefined);
		assert.equal(await users().update(otherTenantId, id, { displayName: "x" }, 1), "missing");
		assert.equal(await users().replacePassword(otherTenantId, id, "first", "stolen", 1), false);
		assert.equal(await users().confirmPassword(otherTenantId, id, "first", "stolen"), false);
		assert.equal(await users().noteSignIn(otherTenantId, id, 1), false);
		assert.equal(await users().remove(otherTenantId, id), false);
		assert.equal((await users().list({ tenantId: otherTenantId }, PAGE)).total, 0);
		assert.deepEqual(await users().listReviewers(otherTenantId), []);
		assert.deepEqual(await users().findWithPassword(ada.tenantId, id), ada);
	});

	it("continues an export after a row that was deleted meanwhile", async () => {
		const usernames = ["export-1", "export-2", "export-3"];
		const [oldest, middle, newest] = await Promise.all(
			usernames.map((username) => database.addUser({ username })),
		);
		if (oldest === undefined || middle === undefined || newest === undefined) throw new Error("no users");
		const exported = async (after: NewUser) => {
			const { items } = await users().list({ tenantId: ada.tenantId, q: "export-" }, { ...PAGE, after });
			return items.map(({ username }) => username);
		};
		await users().remove(ada.tenantId, newest.id);
		assert.deepEqual(await exported(newest), ["export-2", "export-1"]);
		await users().remove(ada.tenantId, middle.id);
		assert.deepEqual(await exported(middle), ["export-1"]);
		await users().remove(ada.tenantId, oldest.id);
	});

	it("names the unique field that is taken, on insert and on update", async () => {
		const bob = await database.addUser({ username: "bob" });
		const again = { ...bob, id: newId(database.clock.now()) };
		const free = { username: "bob2", email: "bob2@people.example" };
		assert.equal(await users().insert({ ...again, email: free.email, username: "BOB" }), "username");
		assert.equal(await users().insert({ ...again, username: free.username }), "email");
		assert.equal(await users().insert(again), "username");
		assert.equal(await users().update(bob.tenantId, bob.id, { username: "aDa" }, 1), "username");
		assert.equal(await users().update(bob.tenantId, bob.id, { email: ada.email }, 1), "email");
		assert.equal(await users().insert({ ...again, tenantId: otherTenantId }), undefined);
		await users().remove(otherTenantId, again.id);
	});

	it("replaces a password only if the verified one is still stored", async () => {
		const carl = await database.addUser({ username: "carl", passwordHash: "first" });
		const replace = (from: string, to: string) =>
			users().replacePassword(carl.tenantId, carl.id, from, to, 7);
		const results = await Promise.all([replace("first", "second"), replace("first", "third")]);
		assert.deepEqual(results.toSorted(), [false, true]);
		const stored = await users().findWithPassword(carl.tenantId, carl.id);
		assert.deepEqual([stored?.passwordHash, stored?.updatedAtMs], [results[0] ? "second" : "third", 7]);
	});

	it("counts active admins of the tenant other than the given one", async () => {
		const { tenantId } = ada;
		const count = (except: string) =>
			database.db.transaction((stores) => stores.users.countOtherActiveAdmins(tenantId, except));
		assert.equal(await count(ada.id), 0);
		assert.equal(await count("somebody"), 1);
		await database.addUser({ username: "sleeping-admin", roles: ["admin"], status: "disabled" });
		await database.addUser({ username: "platform", roles: ["platform_admin"] });
		await database.addUser({ username: "theirs", roles: ["admin"], tenantId: otherTenantId });
		assert.equal(await count(ada.id), 0);
		await database.addUser({ username: "second", roles: ["admin", "auditor"] });
		assert.equal(await count(ada.id), 1);
	});

	it("uses indexes to find users with roles, and locked and inactive users", async (t) => {
		const { engine } = database;
		if (engine.name !== "sqlite") return t.skip("the plans of SQLite");
		const plans: string[] = [];
		const store = createUserStore(explainQueries(engine.queries, plans), KEYS);
		await store.listReviewers(ada.tenantId);
		await store.countOtherActiveAdmins(ada.tenantId, ada.id);
		const ofUsers = plans.filter((plan) => plan.includes(" users "));
		assert.equal(ofUsers.length, 2);
		for (const plan of ofUsers)
			assert.match(plan, /^SEARCH users USING INDEX users_with_roles \(tenant_id=\?\)$/);
		plans.length = 0;
		await store.list({ tenantId: ada.tenantId, isLocked: true }, PAGE);
		assert.equal(plans.length, 2);
		for (const plan of plans) {
			assert.match(plan, /SEARCH users USING .* \(id=\?\)/);
			assert.match(plan, /SEARCH login_failures USING .*login_failures_locked \(tenant_id=\? AND subject>\?/);
		}
		plans.length = 0;
		await store.list({ tenantId: ada.tenantId, inactiveSinceMs: 1 }, PAGE);
		assert.equal(plans.length, 2);
		for (const plan of plans)
			assert.match(plan, /SEARCH users USING .*users_last_seen \(<expr>=\? AND status=\? AND <expr><\?/);
		for (const [sort, index] of [
			["name", "users_by_name"],
			["-name", "users_by_name"],
			["username", "users_username"],
			["-last_login_at", "users_by_last_login"],
		] as const)
			for (const query of [{}, { status: "active" }, { q: "ada" }] as const) {
				plans.length = 0;
				await store.list({ tenantId: ada.tenantId, sort, ...query }, PAGE);
				assert.match(plans[0] ?? "", new RegExp(`^SEARCH users USING INDEX ${index} \\([^)]*\\)$`), sort);
			}
		for (const [query, index] of [
			[{ role: "admin" }, "users_with_roles"],
			[{ status: "disabled" }, "users_status"],
		] as const)
			for (const sort of ["name", "-username", "last_login_at"] as const) {
				plans.length = 0;
				await store.list({ tenantId: ada.tenantId, sort, ...query }, PAGE);
				assert.match(plans[0] ?? "", new RegExp(`USING INDEX ${index} .*TEMP B-TREE`), sort);
			}
	});

	it("finds by role exactly, not by a part of its name", async () => {
		const { items } = await users().list({ tenantId: ada.tenantId, role: "admin" }, PAGE);
		assert.deepEqual(
			items.map(({ username }) => username),
			["second", "sleeping-admin", "Ada"],
		);
	});
});
