// Changes a role of an application, and with it what everybody who holds it may do.

import { differences, type Patch, wireNames } from "../../kernel/changes.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { AdminContext, ApplicationRole, ApplicationRoleChanges, ApplicationRoleStore } from "./model.ts";
import { checkPermissions, checkRoleName, roleNameTaken, roleNotFound } from "./role-rules.ts";

export interface UpdateRoleDeps {
	readonly db: Persistence<{ applicationRoles: ApplicationRoleStore; audit: AuditLog }>;
	readonly clock: Clock;
}

/**
 * A patch that changes nothing writes nothing.
 *
 * @throws AppError `request.invalid`, `application_role.not_found`, `application_role.name_taken`.
 */
export async function updateRole(
	{ db, clock }: UpdateRoleDeps,
	{ appId, roleId }: { readonly appId: string; readonly roleId: string },
	patch: Patch<ApplicationRoleChanges>,
	{ tenantId, actor, origin }: AdminContext,
): Promise<ApplicationRole> {
	if (patch.name !== undefined) checkRoleName(patch.name);
	if (patch.permissions !== undefined) checkPermissions(patch.permissions);
	const now = clock();
	return db.transaction(async ({ applicationRoles, audit }) => {
		const before = await applicationRoles.findById(tenantId, appId, roleId);
		if (before === undefined) throw roleNotFound();
		const changes = differences<ApplicationRoleChanges>(before, patch);
		if (Object.keys(changes).length === 0) return before;
		const outcome = await applicationRoles.update(tenantId, appId, roleId, changes, now);
		if (outcome === "missing") throw roleNotFound();
		if (outcome === "name_taken") throw roleNameTaken(changes.name ?? before.name);
		await audit.append({
			tenantId,
			actor,
			action: "application_role.updated",
			target: `application_role:${roleId}`,
			origin,
			details: {
				app_id: appId,
				fields: wireNames(changes),
				...(changes.name && { name: changes.name }),
				...(changes.permissions && { permissions: changes.permissions }),
			},
		});
		return { ...before, ...changes, updatedAtMs: now };
	});
}
