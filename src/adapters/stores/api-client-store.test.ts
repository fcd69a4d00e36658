import assert from "node:assert/strict";
import { before, it } from "node:test";
import { storeClient } from "../../../test/harness/access/api-client-row.ts";
import { NOW } from "../../../test/harness/databases/database.ts";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { storeApplication, storeTenant } from "../../../test/harness/databases/stores.ts";
import type { ApiClientStatus, StoredClient } from "../../domain/api-client.ts";
import { newId } from "../../kernel/id.ts";

onEachEngine("API clients in SQL", (stores) => {
	let tenantId: string;
	let appId: string;
	before(async () => {
		tenantId = await storeTenant(stores);
		appId = await storeApplication(stores, tenantId);
	});

	const add = (fields: Partial<StoredClient> = {}): Promise<StoredClient> =>
		storeClient(stores, tenantId, {
			appId,
			scopes: ["users:read"],
			ipAllowlist: ["10.0.0.0/8", "2001:db8::/32"],
			secretSealed: "sealed-1",
			...fields,
		});
	const find = (id: string) => stores.db.stores.apiClients.findById(tenantId, id);
	const statusOf = async (id: string): Promise<ApiClientStatus | undefined> => (await find(id))?.status;
	const secret = (sealed: string) => ({
		secretSealed: sealed,
		previousSecretSealed: null,
		secretHint: sealed.slice(-4),
		secretCreatedAtMs: NOW,
		previousSecretExpiresAtMs: null,
	});

	it("are returned unchanged, by id within the tenant and by key across all tenants", async () => {
		const client = await add({
			expiresAtMs: NOW + 1,
			lastUsedAtMs: NOW,
			lastUsedIp: "10.0.0.1",
			accessRequestId: newId(NOW),
			createdBy: newId(NOW),
			previousSecretSealed: "sealed-0",
			previousSecretExpiresAtMs: NOW + 5,
			scopes: [],
			ipAllowlist: [],
			ipAllowlistMode: "report",
		});
		const { apiClients } = stores.db.stores;
		assert.deepEqual(await find(client.id), { ...client, owner: null });
		assert.deepEqual(await apiClients.findByApiKey(client.apiKey), { ...client, owner: null });
		assert.equal(await apiClients.findById(await storeTenant(stores), client.id), undefined);
		assert.equal(await apiClients.findByApiKey(client.apiKey.toUpperCase()), undefined);
	});

	it("are listed without their sealed Secrets", async () => {
		await add();
		const { items } = await stores.db.stores.apiClients.list({ tenantId }, { page: 1, pageSize: 1 });
		assert.ok(!JSON.stringify(items).includes("sealed"));
	});

	it("an unclaimed one cannot be activated, but disabled and reset to unclaimed", async () => {
		const { id } = await add({ status: "unclaimed", secretSealed: null });
		const { apiClients } = stores.db.stores;
		assert.equal(
			await apiClients.update(tenantId, id, { status: "active", name: "Other" }, NOW),
			"unclaimed",
		);
		assert.equal((await find(id))?.name, "Partner");
		assert.equal(await apiClients.update(tenantId, id, { status: "disabled" }, NOW), "updated");
		assert.equal(await apiClients.replaceSecret(tenantId, id, null, secret("sealed-x"), NOW), false);
		assert.equal(await statusOf(id), "disabled");
		assert.equal(await apiClients.update(tenantId, id, { status: "active" }, NOW), "updated");
		assert.equal(await statusOf(id), "unclaimed");
	});

	it("only one of many concurrent claims activates it", async () => {
		const { id } = await add({ status: "unclaimed", secretSealed: null });
		const { apiClients } = stores.db.stores;
		const claims = await Promise.all(
			Array.from({ length: 50 }, (_, index) =>
				apiClients.replaceSecret(tenantId, id, null, secret(`sealed-${index}`), NOW),
			),
		);
		assert.equal(claims.filter(Boolean).length, 1);
		const client = await find(id);
		assert.equal(client?.status, "active");
		assert.equal(client?.secretSealed, `sealed-${claims.indexOf(true)}`);
	});

	it("a new Secret replaces exactly the expected one, and does not change the status", async () => {
		const { id } = await add({ status: "disabled" });
		const { apiClients } = stores.db.stores;
		const replace = (expected: string, sealed: string) =>
			apiClients.replaceSecret(tenantId, id, expected, secret(sealed), NOW);
		assert.equal(await replace("sealed-9", "sealed-2"), false);
		assert.deepEqual(
			(await Promise.all([replace("sealed-1", "sealed-2"), replace("sealed-1", "sealed-3")])).toSorted(),
			[false, true],
		);
		assert.equal(await statusOf(id), "disabled");
		assert.equal(await apiClients.replaceSecret(tenantId, newId(NOW), "x", secret("y"), NOW), false);
		const other = await storeTenant(stores);
		assert.equal(await apiClients.replaceSecret(other, id, "sealed-2", secret("y"), NOW), false);
	});

	it("uses are recorded for existing clients, and never move back in time", async () => {
		const [one, two] = [await add(), await add()];
		const note = (id: string, atMs: number, ip: string) =>
			stores.db.transaction(({ apiClients }) =>
				apiClients.noteUse([
					{ id, atMs, ip },
					{ id: newId(NOW), atMs, ip },
				]),
			);
		await note(one.id, NOW + 10, "10.0.0.1");
		await note(one.id, NOW + 5, "10.0.0.2");
		assert.deepEqual(
			[(await find(one.id))?.lastUsedAtMs, (await find(one.id))?.lastUsedIp],
			[NOW + 10, "10.0.0.1"],
		);
		assert.equal((await find(two.id))?.lastUsedAtMs, null);
	});

	it("are deleted with their application, and counted", async () => {
		const app = newId(NOW);
		const { applications } = stores.db.stores;
		const model = await applications.findById(tenantId, appId);
		assert.ok(model);
		await applications.insert({ ...model, id: app, slug: "gone" });
		const { id } = await add({ appId: app });
		const removed = await stores.db.transaction((bound) => bound.applications.remove(tenantId, app));
		assert.deepEqual(removed, { roles: 0, grants: 0, apiClients: 1 });
		assert.equal(await find(id), undefined);
	});
});
