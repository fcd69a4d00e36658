// Stores an application and an API client, for tests of stores.

import { newId } from "../../src/kernel/id.ts";
import { NOW, storeApplication, type TestStores } from "./stores.ts";

let stored = 0;

/** Stores an active client of a new application. */
export async function storeClient(
	stores: TestStores,
	tenantId: string,
): Promise<{ readonly id: string; readonly tenantId: string; readonly apiKey: string }> {
	const times = { createdAtMs: NOW, updatedAtMs: NOW };
	const [appId, id] = [await storeApplication(stores, tenantId), newId(NOW)];
	const apiKey = `ak_${String(++stored).padStart(24, "0")}`;
	await stores.db.stores.apiClients.insert({
		id,
		tenantId,
		appId,
		name: "Partner",
		apiKey,
		secretHint: "abcd",
		status: "active",
		scopes: [],
		ipAllowlist: [],
		ipAllowlistMode: "enforce",
		expiresAtMs: null,
		lastUsedAtMs: null,
		lastUsedIp: "",
		secretCreatedAtMs: NOW,
		previousSecretExpiresAtMs: null,
		accessRequestId: null,
		createdBy: null,
		secretSealed: "sealed",
		previousSecretSealed: null,
		...times,
	});
	return { id, tenantId, apiKey };
}
