// Deletes a role of an application; grants that gave it stand on without it.

import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { AdminContext, ApplicationRoleStore } from "./model.ts";
import { roleNotFound } from "./role-rules.ts";

export interface DeleteRoleDeps {
	readonly db: Persistence<{ applicationRoles: ApplicationRoleStore; audit: AuditLog }>;
}

/** @throws AppError `application_role.not_found`. */
export async function deleteRole(
	{ db }: DeleteRoleDeps,
	{ appId, roleId }: { readonly appId: string; readonly roleId: string },
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	await db.transaction(async ({ applicationRoles, audit }) => {
		const before = await applicationRoles.findById(tenantId, appId, roleId);
		const removed = await applicationRoles.remove(tenantId, appId, roleId);
		if (before === undefined || !removed) throw roleNotFound();
		await audit.append({
			tenantId,
			actor,
			action: "application_role.deleted",
			target: `application_role:${roleId}`,
			origin,
			details: { app_id: appId, name: before.name },
		});
	});
}
