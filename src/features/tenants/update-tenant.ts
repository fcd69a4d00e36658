// Changes a tenant's name or slug, or whether it wants second factors.

import { differences, type Patch, wireNames } from "../../kernel/changes.ts";
import type { Clock } from "../../kernel/clock.ts";
import { SYSTEM_ORIGIN } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { PlatformContext } from "./create-tenant.ts";
import {
	DEFAULT_TENANT_SLUG,
	defaultSlugError,
	type Tenant,
	type TenantChanges,
	type TenantStore,
	tenantNotFound,
	tenantSlugTaken,
} from "./model.ts";

export interface UpdateTenantDeps {
	readonly db: Persistence<{ tenants: TenantStore; audit: AuditLog }>;
	readonly clock: Clock;
}

/**
 * A patch that changes nothing writes nothing.
 *
 * @throws AppError `tenant.not_found`, `tenant.slug_taken`, `tenant.is_default` (its slug stays).
 */
export async function updateTenant(
	{ db, clock }: UpdateTenantDeps,
	id: string,
	patch: Patch<TenantChanges>,
	context: PlatformContext,
): Promise<Tenant> {
	const now = clock();
	return db.transaction(async ({ tenants, audit }) => {
		const before = await tenants.findById(id);
		if (before === undefined) throw tenantNotFound();
		const changes = differences<TenantChanges>(before, patch);
		if (Object.keys(changes).length === 0) return before;
		if (before.slug === DEFAULT_TENANT_SLUG && changes.slug !== undefined) throw defaultSlugError();
		const outcome = await tenants.update(id, changes, now);
		if (outcome === "missing") throw tenantNotFound();
		if (outcome === "slug_taken") throw tenantSlugTaken(changes.slug ?? before.slug);
		await writeAudit(audit, id, changes, context);
		return { ...before, ...changes, updatedAtMs: now };
	});
}

/** In the trail of whoever did it, and without a name in that of the tenant, where that is another. */
async function writeAudit(
	audit: AuditLog,
	id: string,
	{ requireMfa, ...changes }: TenantChanges,
	{ actor, origin }: PlatformContext,
): Promise<void> {
	const updated = {
		action: "tenant.updated",
		target: `tenant:${id}`,
		details: {
			fields: wireNames({ ...changes, ...(requireMfa !== undefined && { requireMfa }) }),
			...changes,
			...(requireMfa !== undefined && { require_mfa: requireMfa }),
		},
	};
	await audit.append({ ...updated, tenantId: actor.tenantId, actor: `user:${actor.id}`, origin });
	if (id === actor.tenantId) return;
	const asSystem = { ...SYSTEM_ORIGIN, requestId: origin.requestId };
	await audit.append({ ...updated, tenantId: id, actor: "system", origin: asSystem });
}
