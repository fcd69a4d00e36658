// Creates and updates tenants.

import { checkIsPerson } from "../../../domain/admin-key.ts";
import { named, userTarget } from "../../../domain/audit.ts";
import { type Administrator, type Caller, systemCaller } from "../../../domain/caller.ts";
import { newUser } from "../../../domain/new-user.ts";
import {
	DEFAULT_TENANT_SLUG,
	defaultSlugError,
	NEW_TENANT,
	type Tenant,
	type TenantChanges,
	tenantNotFound,
	tenantSlugTaken,
} from "../../../domain/tenant.ts";
import { type User, writeError } from "../../../domain/user.ts";
import { changeDetails, differences, fieldChanges, type Patch } from "../../../kernel/changes.ts";
import { found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import { SYSTEM_ORIGIN } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";

interface TenantToCreate extends Pick<Tenant, "name" | "slug"> {
	/** `email` in its canonical form. */
	readonly admin: { readonly username: string; readonly email: string; readonly passwordPlain: string };
}

/**
 * Creates a tenant with its first admin, in one transaction with the audit events. The admin's email address counts as
 * verified.
 *
 * @throws AppError `password.*` (policy), `tenant.slug_taken` (decided by the unique index).
 */
export async function createTenant(
	{ db, passwords, clock }: Needs<"tenants" | "users" | "audit", "passwords" | "clock">,
	{ name, slug, admin: newAdmin }: TenantToCreate,
	caller: Caller,
): Promise<{ readonly tenant: Tenant; readonly admin: User }> {
	const passwordPlain = await passwords.check(newAdmin.passwordPlain, newAdmin);
	const passwordHash = await passwords.hash(passwordPlain, caller.origin.ip);
	const now = clock();
	const times = { createdAtMs: now, updatedAtMs: now };
	const tenant: Tenant = { id: newId(now), name, slug, ...NEW_TENANT, ...times };
	const { username, email } = newAdmin;
	const fields = { tenantId: tenant.id, username, email, emailVerified: true, roles: ["admin"] } as const;
	const admin = newUser(fields, now);
	await db.transaction(async ({ tenants, users, audit }) => {
		if (!(await tenants.insert(tenant))) throw tenantSlugTaken(slug);
		const taken = await users.insert({ ...admin, passwordHash });
		if (taken !== undefined) throw writeError(taken);
		const created = ["tenant.created", named("tenant", tenant.id, name), { name, slug }] as const;
		await audit.append(caller, ...created);
		const { roles, status } = admin;
		const system = ownTrail(tenant.id, caller);
		await audit.append(system, ...created);
		await audit.append(system, "user.created", userTarget(admin), { username, roles, status });
	});
	return { tenant, admin };
}

/**
 * A patch that changes nothing writes nothing.
 *
 * @throws AppError `admin_key.not_allowed` (second factors, mailed codes, sender addresses), `tenant.not_found`, `tenant.slug_taken`,
 * `tenant.is_default` (its slug cannot change).
 */
export async function updateTenant(
	{ db, clock }: Needs<"tenants" | "audit", "clock">,
	id: string,
	patch: Patch<TenantChanges>,
	caller: Administrator,
): Promise<Tenant> {
	if (patch.requireMfa !== undefined) checkIsPerson(caller, "set require_mfa of a tenant");
	if (patch.mailedCode !== undefined) checkIsPerson(caller, "set mailed_code of a tenant");
	if (patch.senderAddresses !== undefined) checkIsPerson(caller, "set sender_addresses of a tenant");
	const now = clock();
	return db.transaction(async ({ tenants, audit }) => {
		const before = found(await tenants.findById(id), tenantNotFound);
		const changes = differences<TenantChanges>(before, patch);
		if (Object.keys(changes).length === 0) return before;
		if (before.slug === DEFAULT_TENANT_SLUG && changes.slug !== undefined) throw defaultSlugError();
		const outcome = await tenants.update(id, changes, now);
		if (outcome === "missing") throw tenantNotFound();
		if (outcome === "slug_taken") throw tenantSlugTaken(changes.slug ?? before.slug);
		const updated = [
			"tenant.updated",
			named("tenant", id, before.name),
			changeDetails(changes),
			fieldChanges(before, changes),
		] as const;
		await audit.append(caller, ...updated);
		if (id !== caller.tenantId) await audit.append(ownTrail(id, caller), ...updated);
		return { ...before, ...changes, updatedAtMs: now };
	});
}

/**
 * Assigns the name of an API to the tenant. The previous tenant gets no more tokens for it.
 *
 * @throws AppError `tenant.not_found`.
 */
export async function assignResource(
	{ db, clock }: Needs<"tenants" | "oauthClients" | "audit", "clock">,
	tenantId: string,
	resource: string,
	caller: Caller,
): Promise<void> {
	await db.transaction(async ({ tenants, oauthClients, audit }) => {
		const { name } = found(await tenants.findById(tenantId), tenantNotFound);
		await oauthClients.assignResource(tenantId, resource, clock());
		const assigned = ["tenant.resource_assigned", named("tenant", tenantId, name), { resource }] as const;
		await audit.append(caller, ...assigned);
		if (tenantId !== caller.tenantId) await audit.append(ownTrail(tenantId, caller), ...assigned);
	});
}

/**
 * The caller in the audit trail of the managed tenant, which must not name users of another tenant. The request id
 * connects its events to those in the caller's own trail.
 */
function ownTrail(tenantId: string, { origin: { requestId } }: Caller): Caller {
	return systemCaller(tenantId, { ...SYSTEM_ORIGIN, requestId });
}
