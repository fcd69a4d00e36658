// Stores API clients, for tests of stores.

import type { StoredClient } from "../../../src/domain/api-client.ts";
import { newId } from "../../../src/kernel/id.ts";
import { NOW } from "../databases/database.ts";
import { storeApplication, type TestStores } from "../databases/stores.ts";

let stored = 0;

/** Stores an active client, by default of a new application. */
export async function storeClient(
	stores: TestStores,
	tenantId: string,
	fields: Partial<StoredClient> = {},
): Promise<StoredClient> {
	const client: StoredClient = {
		id: newId(NOW),
		tenantId,
		appId: fields.appId ?? (await storeApplication(stores, tenantId)),
		mode: "live",
		name: "Partner",
		apiKey: `ak_${String(++stored).padStart(24, "0")}`,
		secretHint: "abcd",
		status: "active",
		scopes: [],
		ipAllowlist: [],
		ipAllowlistMode: "enforce",
		expiresAtMs: null,
		lastUsedAtMs: null,
		lastUsedIp: "",
		disabledReason: null,
		secretCreatedAtMs: NOW,
		publicKeys: [],
		previousSecretExpiresAtMs: null,
		accessRequestId: null,
		createdBy: null,
		secretSealed: "sealed",
		previousSecretSealed: null,
		createdAtMs: NOW,
		updatedAtMs: NOW,
		...fields,
	};
	await stores.db.stores.apiClients.insert(client);
	return client;
}
