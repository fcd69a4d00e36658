// Ends the admin keys of a user who no longer holds the roles of the keys.

import { type AdminKey, isLent, type PresentedKey } from "./admin-key.ts";
import { type AuditCaller, named } from "./audit.ts";
import type { Stores } from "./stores.ts";

type KeyStores = Stores<"adminKeys" | "audit">;
type Creator = PresentedKey["creator"] & { readonly id: string; readonly tenantId: string };

/** Why a key ended, as a detail of the audit event. */
type KeyEnd = "deleted" | "review" | "creator_changed" | "creator_deleted" | "creator_restored";

/** Inside the transaction of the change: deletes the keys whose roles the changed user no longer covers. */
export async function endUnlentKeys(stores: KeyStores, creator: Creator, caller: AuditCaller): Promise<void> {
	for (const key of await stores.adminKeys.listOf(creator.tenantId, creator.id))
		if (!isLent(key.roles, creator)) await endKey(stores, key.id, "creator_changed", caller);
}

/** Inside a transaction: deletes every key that the user created. */
export async function endKeysOf(
	stores: KeyStores,
	{ id, tenantId }: Pick<Creator, "id" | "tenantId">,
	reason: KeyEnd,
	caller: AuditCaller,
): Promise<void> {
	for (const key of await stores.adminKeys.listOf(tenantId, id)) await endKey(stores, key.id, reason, caller);
}

/** Inside a transaction. @returns the deleted key; undefined if the tenant has no such key. */
export async function endKey(
	{ adminKeys, audit }: KeyStores,
	id: string,
	reason: KeyEnd,
	caller: AuditCaller,
): Promise<AdminKey | undefined> {
	const key = await adminKeys.remove(caller.tenantId, id);
	if (key === undefined) return undefined;
	const details = { name: key.name, created_by: key.createdBy, reason };
	await audit.append(caller, "admin_key.deleted", named("admin_key", id, key.name), details);
	return key;
}
