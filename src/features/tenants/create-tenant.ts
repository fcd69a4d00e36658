// Makes a tenant together with its first admin: a tenant without one could be managed by nobody.

import type { PasswordHasher } from "../../crypto/password.ts";
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import { type Origin, SYSTEM_ORIGIN } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { type NewUser, takenError, type User, type UserStore } from "../users/model.ts";
import { type Tenant, type TenantStore, tenantSlugTaken } from "./model.ts";

export interface CreateTenantDeps {
	readonly db: Persistence<{ tenants: TenantStore; users: UserStore; audit: AuditLog }>;
	readonly passwords: PasswordHasher;
	readonly clock: Clock;
}

export interface TenantToCreate extends Pick<Tenant, "name" | "slug"> {
	/** `email` arrives in its canonical form. */
	readonly admin: { readonly username: string; readonly email: string; readonly passwordPlain: string };
}

/** The platform admin who asks, in a tenant of their own. */
export interface PlatformContext {
	readonly actor: User;
	readonly origin: Origin;
}

/**
 * Tenant, admin and audit rows in one transaction. The admin's address counts as proved: whoever runs the platform
 * vouches for it, as for the first admin of all.
 *
 * @throws AppError `password.*` (policy), `tenant.slug_taken`, decided by the index.
 */
export async function createTenant(
	{ db, passwords, clock }: CreateTenantDeps,
	wanted: TenantToCreate,
	context: PlatformContext,
): Promise<{ readonly tenant: Tenant; readonly admin: User }> {
	const passwordPlain = await passwords.check(wanted.admin.passwordPlain, wanted.admin);
	const passwordHash = await passwords.hash(passwordPlain);
	const now = clock();
	const { name, slug } = wanted;
	const tenant: Tenant = {
		id: newId(now),
		name,
		slug,
		requireMfa: false,
		createdAtMs: now,
		updatedAtMs: now,
	};
	const admin = firstAdmin(tenant, wanted.admin, passwordHash);
	await db.transaction(async ({ tenants, users, audit }) => {
		if (!(await tenants.insert(tenant))) throw tenantSlugTaken(slug);
		const taken = await users.insert(admin);
		if (taken !== undefined) throw takenError(taken);
		await writeAudit(audit, tenant, admin, context);
	});
	const { passwordHash: _, ...shown } = admin;
	return { tenant, admin: shown };
}

function firstAdmin(tenant: Tenant, wanted: TenantToCreate["admin"], passwordHash: string): NewUser {
	return {
		id: newId(tenant.createdAtMs),
		tenantId: tenant.id,
		username: wanted.username,
		email: wanted.email,
		emailVerified: true,
		displayName: "",
		avatarUrl: "",
		status: "active",
		roles: ["admin"],
		mfaEnabled: false,
		lastLoginAtMs: null,
		createdAtMs: tenant.createdAtMs,
		updatedAtMs: tenant.createdAtMs,
		passwordHash,
	};
}

/**
 * Who did it is told where that person belongs; the new tenant's own trail begins with the same facts, but learns
 * nothing of another tenant's people. The request id ties the two together.
 */
async function writeAudit(
	audit: AuditLog,
	tenant: Tenant,
	admin: User,
	{ actor, origin }: PlatformContext,
): Promise<void> {
	const { name, slug } = tenant;
	const created = { action: "tenant.created", target: `tenant:${tenant.id}`, details: { name, slug } };
	await audit.append({ ...created, tenantId: actor.tenantId, actor: `user:${actor.id}`, origin });
	const inside = {
		tenantId: tenant.id,
		actor: "system",
		origin: { ...SYSTEM_ORIGIN, requestId: origin.requestId },
	} as const;
	await audit.append({ ...created, ...inside });
	await audit.append({
		...inside,
		action: "user.created",
		target: `user:${admin.id}`,
		details: { username: admin.username, roles: admin.roles, status: admin.status },
	});
}
