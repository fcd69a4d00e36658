import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { NOW } from "../../../test/harness/databases/database.ts";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { storeTenant, storeUser } from "../../../test/harness/databases/stores.ts";
import { type Application, NOT_REQUESTABLE } from "../../domain/application.ts";
import type { ApplicationRole } from "../../domain/application-role.ts";
import { newId } from "../../kernel/id.ts";

onEachEngine("applications, roles, grants and access facts in SQL", (stores) => {
	let tenantId: string;
	before(async () => {
		tenantId = await storeTenant(stores);
	});

	let made = 0;
	const application = (fields: Partial<Application> = {}): Application => ({
		id: newId(NOW),
		tenantId,
		kind: "application",
		name: "Shop",
		slug: `shop-${++made}`,
		description: "",
		homepageUrl: "",
		logoUrl: "",
		redirectUris: [],
		accessPolicy: "assigned",
		status: "active",
		requireMfa: false,
		supportSessions: false,
		lastSignInAtMs: null,
		accessRequestId: null,
		managedBy: null,
		...NOT_REQUESTABLE,
		createdAtMs: NOW,
		updatedAtMs: NOW,
		...fields,
	});
	const addApplication = async (fields: Partial<Application> = {}): Promise<string> => {
		const record = application(fields);
		assert.equal(await stores.db.stores.applications.insert(record), true);
		return record.id;
	};
	const addRole = async (appId: string, name: string, fields: Partial<ApplicationRole> = {}) => {
		const times = { createdAtMs: NOW, updatedAtMs: NOW };
		const role = {
			id: newId(NOW),
			tenantId,
			appId,
			name,
			description: "",
			permissions: [],
			...times,
			permissionDescriptions: [],
		};
		assert.equal(await stores.db.stores.applicationRoles.insert({ ...role, ...fields }), true);
		return role.id;
	};
	const put = (appId: string, userId: string, roleIds: readonly string[], atMs = NOW) =>
		stores.db.transaction(async ({ grants }) => {
			const { outcome } = await grants.put({
				id: newId(NOW),
				tenantId,
				appId,
				subject: toUser(userId),
				roleIds,
				grantedBy: null,
				createdAtMs: atMs,
				updatedAtMs: atMs,
			});
			return outcome;
		});
	const toUser = (id: string) => ({ kind: "user", id }) as const;
	const firstPage = { page: 1, pageSize: 100 };

	describe("applications", () => {
		it("are returned unchanged", async () => {
			const record = application({
				description: "déjà vu",
				redirectUris: ["https://a.example/?a=1&b=%22", "http://localhost:1/"],
				accessPolicy: "open",
				status: "disabled",
			});
			const { applications } = stores.db.stores;
			await applications.insert(record);
			assert.deepEqual(await applications.findById(tenantId, record.id), record);
		});

		it("have unique slugs per tenant, even under concurrency", async () => {
			const { applications } = stores.db.stores;
			const results = await Promise.all(
				Array.from({ length: 50 }, () => applications.insert(application({ slug: "one" }))),
			);
			assert.equal(results.filter(Boolean).length, 1);
			const other = await storeTenant(stores);
			assert.equal(await applications.insert(application({ slug: "one", tenantId: other })), true);
			const taken = await addApplication({ slug: "another" });
			assert.equal(await applications.update(tenantId, taken, { slug: "one" }, NOW), "slug_taken");
		});

		it("are visible only in their tenant", async () => {
			const other = await storeTenant(stores);
			const id = await addApplication();
			const { applications } = stores.db.stores;
			assert.equal(await applications.findById(other, id), undefined);
			assert.equal(await applications.update(other, id, { name: "X" }, NOW), "missing");
			const removed = await stores.db.transaction(({ applications }) => applications.remove(other, id));
			assert.equal(removed, undefined);
			assert.equal((await applications.list({ tenantId: other }, firstPage)).total, 0);
			assert.notEqual(await applications.findById(tenantId, id), undefined);
		});
	});

	describe("grants", () => {
		it("are one row under concurrent calls, with all roles of one caller", async () => {
			const appId = await addApplication();
			const userId = await storeUser(stores, tenantId);
			const sets = await Promise.all(
				Array.from({ length: 20 }, async (_, index) => [
					await addRole(appId, `a${index}`),
					await addRole(appId, `b${index}`),
				]),
			);
			const outcomes = await Promise.all(sets.map((roleIds) => put(appId, userId, roleIds)));
			assert.equal(outcomes.filter((outcome) => outcome === "created").length, 1);
			assert.equal(outcomes.filter((outcome) => outcome === "changed").length, 19);
			const { items, total } = await stores.db.stores.grants.list({ tenantId, appId }, firstPage);
			assert.equal(total, 1);
			assert.match(String(items[0]?.roles), /^a(\d+),b\1$/);
		});

		it("keep id and creation time, and return whether anything changed", async () => {
			const appId = await addApplication();
			const userId = await storeUser(stores, tenantId);
			const [a, b] = [await addRole(appId, "a"), await addRole(appId, "b")];
			const find = () => stores.db.stores.grants.find(tenantId, appId, toUser(userId));
			assert.equal(await put(appId, userId, []), "created");
			const first = await find();
			assert.deepEqual(first?.roles, []);
			assert.equal(await put(appId, userId, [], NOW + 1), "unchanged");
			assert.deepEqual(await find(), first);
			assert.equal(await put(appId, userId, [b, a], NOW + 2), "changed");
			const both = { roles: ["a", "b"], roleIds: [a, b] };
			assert.deepEqual(await find(), { ...first, ...both, updatedAtMs: NOW + 2 });
			assert.equal(await put(appId, userId, [a, b], NOW + 3), "unchanged");
			assert.equal(await put(appId, userId, [a], NOW + 4), "changed");
			assert.deepEqual(await find(), { ...first, roles: ["a"], roleIds: [a], updatedAtMs: NOW + 4 });
		});

		it("ignore a role of another application", async () => {
			const [appId, otherApp] = [await addApplication(), await addApplication()];
			const userId = await storeUser(stores, tenantId);
			await put(appId, userId, [await addRole(otherApp, "a")]);
			assert.deepEqual((await stores.db.stores.grants.find(tenantId, appId, toUser(userId)))?.roles, []);
		});

		it("lose a deleted role and are deleted with the user", async () => {
			const appId = await addApplication();
			const userId = await storeUser(stores, tenantId);
			const roleId = await addRole(appId, "a");
			await put(appId, userId, [roleId, await addRole(appId, "b")]);
			const { applicationRoles, grants, users } = stores.db.stores;
			assert.equal(await applicationRoles.remove(tenantId, appId, roleId), true);
			assert.deepEqual((await grants.find(tenantId, appId, toUser(userId)))?.roles, ["b"]);
			await users.remove(tenantId, userId);
			assert.equal(await grants.find(tenantId, appId, toUser(userId)), undefined);
		});
	});

	describe("removal of an application", () => {
		it("also deletes roles and grants, and counts them", async () => {
			const [appId, kept] = [await addApplication(), await addApplication()];
			const [one, two] = [await storeUser(stores, tenantId), await storeUser(stores, tenantId)];
			const roleId = await addRole(appId, "a");
			await put(appId, one, [roleId]);
			await put(appId, two, []);
			await put(kept, one, [await addRole(kept, "a")]);
			const removed = await stores.db.transaction(({ applications }) => applications.remove(tenantId, appId));
			assert.deepEqual(removed, { roles: 1, grants: 2, apiClients: 0 });
			const { applicationRoles, grants } = stores.db.stores;
			assert.deepEqual(await applicationRoles.listAll(tenantId, appId), []);
			assert.equal(await grants.find(tenantId, appId, toUser(one)), undefined);
			assert.deepEqual((await grants.find(tenantId, kept, toUser(one)))?.roles, ["a"]);
		});
	});
});
