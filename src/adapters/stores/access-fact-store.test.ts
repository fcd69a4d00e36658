import assert from "node:assert/strict";
import { before, it } from "node:test";
import { NOW } from "../../../test/harness/databases/database.ts";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { storeApplication, storeTenant, storeUser } from "../../../test/harness/databases/stores.ts";
import type { Application } from "../../domain/application.ts";
import type { GrantSubject } from "../../domain/grant.ts";
import { newId } from "../../kernel/id.ts";

onEachEngine("access facts", (stores) => {
	let tenantId: string;
	before(async () => {
		tenantId = await storeTenant(stores);
	});

	const times = { createdAtMs: NOW, updatedAtMs: NOW };
	const addApplication = (fields: Partial<Application> = {}): Promise<string> =>
		storeApplication(stores, tenantId, fields);
	const addRole = async (appId: string, name: string, permissions: readonly string[] = []) => {
		const id = newId(NOW);
		const role = {
			id,
			tenantId,
			appId,
			name,
			description: "",
			permissions,
			permissionDescriptions: [],
			...times,
		};
		await stores.db.stores.applicationRoles.insert(role);
		return { id, name, permissions: [...permissions] };
	};
	const addGroup = async (name: string, members: readonly string[], tenant = tenantId): Promise<string> => {
		const id = newId(NOW);
		const { groups } = stores.db.stores;
		await groups.insert({ id, tenantId: tenant, name, description: "", managedBy: null, ...times });
		for (const userId of members)
			await groups.putMember({ tenantId: tenant, groupId: id, userId, addedAtMs: NOW });
		return id;
	};
	const put = async (appId: string, subject: GrantSubject, roles: readonly { id: string }[]) => {
		const id = newId(NOW);
		const grant = {
			id,
			tenantId,
			appId,
			subject,
			roleIds: roles.map((role) => role.id),
			grantedBy: null,
			...times,
		};
		await stores.db.transaction(({ grants }) => grants.put(grant));
		return id;
	};
	const toUser = (id: string) => ({ kind: "user", id }) as const;
	const toGroup = (id: string) => ({ kind: "group", id }) as const;
	const load = (userId: string, appId: string, tenant = tenantId) =>
		stores.db.stores.accessFacts.load(tenant, userId, appId);
	const nothing = { user: undefined, application: undefined, grants: [] };

	it("report what is missing", async () => {
		const appId = await addApplication();
		const userId = await storeUser(stores, tenantId);
		const nobody = newId(NOW);
		assert.deepEqual(await load(nobody, nobody), nothing);
		assert.deepEqual(await load(userId, nobody), { ...nothing, user: { status: "active" } });
		const application = { status: "active", accessPolicy: "assigned" };
		assert.deepEqual(await load(nobody, appId), { ...nothing, application });
	});

	it("contain states, and every role of the grant with its permissions", async () => {
		const appId = await addApplication({ accessPolicy: "open", status: "disabled" });
		const userId = await storeUser(stores, tenantId, { status: "disabled" });
		const known = {
			user: { status: "disabled" },
			application: { status: "disabled", accessPolicy: "open" },
		};
		assert.deepEqual(await load(userId, appId), { ...known, grants: [] });
		const id = await put(appId, toUser(userId), []);
		assert.deepEqual(await load(userId, appId), {
			...known,
			grants: [{ id, group: undefined, roles: [], expiresAtMs: null }],
		});
		const reader = await addRole(appId, "reader", ["orders:read"]);
		const idle = await addRole(appId, "idle");
		await addRole(appId, "unheld", ["*"]);
		await put(appId, toUser(userId), [reader, idle]);
		const { grants } = await load(userId, appId);
		const roles = grants[0]?.roles.toSorted((a, b) => a.name.localeCompare(b.name));
		assert.deepEqual(roles, [idle, reader]);
	});

	it("include the grants of exactly the user's groups, each with its group", async () => {
		const [appId, otherApp] = [await addApplication(), await addApplication()];
		const [userId, stranger] = [await storeUser(stores, tenantId), await storeUser(stores, tenantId)];
		const reader = await addRole(appId, "reader", ["orders:read"]);
		const clerks = await addGroup("Clerks", [userId]);
		const idle = await addGroup("Idle", [userId]);
		const others = await addGroup("Others", [stranger]);
		const byClerks = await put(appId, toGroup(clerks), [reader]);
		const byIdle = await put(appId, toGroup(idle), []);
		await put(appId, toGroup(others), [reader]);
		await put(otherApp, toGroup(clerks), []);
		const expected = [
			{ id: byClerks, group: { id: clerks, name: "Clerks" }, roles: [reader], expiresAtMs: null },
			{ id: byIdle, group: { id: idle, name: "Idle" }, roles: [], expiresAtMs: null },
		];
		const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
		assert.deepEqual((await load(userId, appId)).grants.toSorted(byId), expected.toSorted(byId));
		const own = await put(appId, toUser(userId), [reader]);
		assert.deepEqual(
			(await load(userId, appId)).grants.map(({ id }) => id).sort(),
			[own, byClerks, byIdle].sort(),
		);
		const { groups } = stores.db.stores;
		await groups.removeMember(tenantId, clerks, userId);
		await stores.db.transaction(({ groups }) => groups.remove(tenantId, idle));
		assert.deepEqual(
			(await load(userId, appId)).grants.map(({ id }) => id),
			[own],
		);
	});

	it("never cross a tenant boundary", async () => {
		const other = await storeTenant(stores);
		const appId = await addApplication();
		const userId = await storeUser(stores, tenantId);
		const foreigner = await storeUser(stores, other);
		await put(appId, toUser(userId), []);
		const group = await addGroup("Ours", [userId]);
		await put(appId, toGroup(group), []);
		assert.deepEqual(await load(userId, appId, other), nothing);
		assert.equal((await load(foreigner, appId)).user, undefined);
		assert.deepEqual((await load(foreigner, appId, other)).user, { status: "active" });
		assert.equal((await load(foreigner, appId, other)).application, undefined);
	});

	it("are the same for many pairs as for each alone, in order", async () => {
		const apps = [await addApplication(), await addApplication({ accessPolicy: "open" }), newId(NOW)];
		const users = [await storeUser(stores, tenantId), await storeUser(stores, tenantId), newId(NOW)];
		const role = await addRole(apps[0] as string, "reader", ["a"]);
		await put(apps[0] as string, toUser(users[0] as string), [role]);
		await put(apps[0] as string, toGroup(await addGroup("Many", users.slice(0, 2))), [role]);
		for (const size of [0, 1, 2, 10, 11, 100]) {
			const pairs = Array.from({ length: size }, (_, index) => ({
				userId: users[index % 3] as string,
				appId: apps[Math.floor(index / 3) % 3] as string,
			}));
			const alone = await Promise.all(pairs.map(({ userId, appId }) => load(userId, appId)));
			assert.deepEqual(await stores.db.stores.accessFacts.loadAll(tenantId, pairs), alone);
		}
		const tooMany = Array.from({ length: 101 }, () => ({ userId: "", appId: "" }));
		await assert.rejects(stores.db.stores.accessFacts.loadAll(tenantId, tooMany), RangeError);
	});
});
