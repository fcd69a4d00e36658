import assert from "node:assert/strict";
import { before, it } from "node:test";
import { storeClient } from "../../../test/harness/access/api-client-row.ts";
import { NOW } from "../../../test/harness/databases/database.ts";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { storeTenant } from "../../../test/harness/databases/stores.ts";
import { newId } from "../../kernel/id.ts";

onEachEngine("IP addresses that are not on an allowlist, in SQL", (stores) => {
	let tenantId: string;
	const clientId = newId(NOW);
	before(async () => {
		tenantId = await storeTenant(stores);
		await storeClient(stores, tenantId, {
			id: clientId,
			ipAllowlist: ["10.0.0.0/8"],
			ipAllowlistMode: "report",
		});
	});

	const add = (ip: string, requests: number, firstSeenAtMs: number, lastSeenAtMs: number, id = clientId) =>
		stores.db.transaction(({ allowlistMisses }) =>
			allowlistMisses.add([{ clientId: id, ip, requests, firstSeenAtMs, lastSeenAtMs }]),
		);
	const list = () => stores.db.stores.allowlistMisses.listAll(tenantId, clientId);

	it("add up, keep the first and the last time, and stay within the tenant", async () => {
		await add("192.0.2.1", 2, NOW, NOW + 5);
		await add("192.0.2.1", 3, NOW - 5, NOW + 1);
		await add("192.0.2.2", 9, NOW, NOW);
		const rows = (await list()).map((row) => ({ ...row }));
		assert.deepEqual(rows, [
			{ ip: "192.0.2.2", requests: 9, firstSeenAtMs: NOW, lastSeenAtMs: NOW },
			{ ip: "192.0.2.1", requests: 5, firstSeenAtMs: NOW - 5, lastSeenAtMs: NOW + 5 },
		]);
		const other = await storeTenant(stores);
		assert.deepEqual(await stores.db.stores.allowlistMisses.listAll(other, clientId), []);
		await add("192.0.2.1", 1, NOW, NOW, newId(NOW));
		assert.equal((await list()).length, 2);
	});

	it("are at most 1000 for a client; known ones continue to count", async () => {
		const many = Array.from({ length: 1_100 }, (_, n) => ({
			clientId,
			ip: `10.1.${Math.floor(n / 256)}.${n % 256}`,
			requests: 1,
			firstSeenAtMs: NOW,
			lastSeenAtMs: NOW,
		}));
		await stores.db.transaction(({ allowlistMisses }) => allowlistMisses.add(many));
		await add("192.0.2.2", 1, NOW, NOW);
		const rows = await list();
		assert.deepEqual([rows.length, rows[0]?.requests], [1_000, 10]);
	});

	it("are deleted with their client or on request, within the tenant", async () => {
		const { allowlistMisses, apiClients } = stores.db.stores;
		await allowlistMisses.clear(await storeTenant(stores), clientId);
		assert.equal((await list()).length, 1_000);
		await allowlistMisses.clear(tenantId, clientId);
		assert.deepEqual(await list(), []);
		await add("192.0.2.2", 1, NOW, NOW);
		await apiClients.remove(tenantId, clientId);
		assert.deepEqual(await list(), []);
	});
});
