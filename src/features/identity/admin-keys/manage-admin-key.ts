// An administrator creates and deletes admin keys.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import {
	type AdminKey,
	adminKeyNotFound,
	checkKeyExpiry,
	heldKey,
	isLent,
} from "../../../domain/admin-key.ts";
import { parseAllowlist } from "../../../domain/allowlist.ts";
import { named } from "../../../domain/audit.ts";
import { endKey } from "../../../domain/end-admin-keys.ts";
import { checkWorkloadIssuers, parseWorkloads } from "../../../domain/parse-workloads.ts";
import type { InPerson } from "../../../domain/session.ts";
import { sortRoles } from "../../../domain/system-role.ts";
import { getUser } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";

/** `ipAllowlist` as the administrator wrote it. */
type NewAdminKey = Pick<AdminKey, "name" | "roles" | "ipAllowlist" | "workloads" | "expiresAtMs">;

interface IssuedAdminKey {
	readonly key: AdminKey;
	/** To be shown once. Of a key with workloads, only what their tokens are appended to. */
	readonly keyPlain: string;
}

/**
 * @throws AppError `request.invalid` (`roles`, `ip_allowlist`, `workloads`, `expires_at`), `role.required` (a role that the caller
 * lacks).
 */
export async function createAdminKey(
	{ db, clock }: Needs<"adminKeys" | "identityProviders" | "users" | "secondFactors" | "audit", "clock">,
	fields: NewAdminKey,
	caller: InPerson,
): Promise<IssuedAdminKey> {
	const { tenantId, userId } = caller;
	const now = clock();
	checkKeyExpiry(fields.expiresAtMs, now);
	const isHeld = fields.workloads.length > 0;
	// An administrator of the tenant decides which keys its issuers sign with.
	if (isHeld && fields.roles.includes("platform_admin")) throw invalidField("roles", "workload_role");
	const secretPlain = `${CREDENTIAL_PREFIX.adminKey}${randomToken()}`;
	const key: AdminKey = {
		...fields,
		id: newId(now),
		workloads: parseWorkloads(isHeld ? "workload" : "none", fields.workloads),
		tenantId,
		roles: sortRoles(fields.roles),
		ipAllowlist: parseAllowlist(fields.ipAllowlist),
		lastUsedAtMs: null,
		lastUsedIp: "",
		createdBy: userId,
		createdAtMs: now,
	};
	await db.transaction(async (stores) => {
		// Serializes with a demotion of the caller, which ends the caller's existing keys.
		if (userId !== null) await stores.secondFactors.lock(tenantId, userId);
		if (!isLent(key.roles, userId === null ? null : await getUser(stores.users, tenantId, userId)))
			throw new AppError("role.required", "an admin key has at most the roles of its creator");
		await checkWorkloadIssuers(stores.identityProviders, tenantId, key.workloads);
		await stores.adminKeys.insert({ ...key, keyDigest: tokenDigest(secretPlain) });
		const { name, roles, ipAllowlist: ip_allowlist } = key;
		const details = {
			name,
			roles,
			ip_allowlist,
			...(isHeld && {
				workloads: key.workloads.map(({ subject }) => subject),
				workload_issuers: key.workloads.map(({ issuerId }) => issuerId),
				workload_claims: key.workloads.map(({ claims }) => JSON.stringify(claims)),
			}),
			expires_at: isoTime(key.expiresAtMs),
		};
		await stores.audit.append(caller, "admin_key.created", named("admin_key", key.id, name), details);
	});
	return { key, keyPlain: isHeld ? heldKey(key.id) : secretPlain };
}

/** Any administrator of the tenant may delete any key. @throws AppError `admin_key.not_found`. */
export async function deleteAdminKey(
	{ db }: Needs<"adminKeys" | "audit">,
	id: string,
	caller: InPerson,
): Promise<void> {
	await db.transaction(async (stores) => {
		found(await endKey(stores, id, "deleted", caller), adminKeyNotFound);
	});
}
