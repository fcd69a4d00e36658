// Defines a role of an application.

import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	type AdminContext,
	type ApplicationRole,
	type ApplicationRoleStore,
	type ApplicationStore,
	applicationNotFound,
} from "./model.ts";
import { checkPermissions, checkRoleName, roleNameTaken } from "./role-rules.ts";

export interface CreateRoleDeps {
	readonly db: Persistence<{
		applications: ApplicationStore;
		applicationRoles: ApplicationRoleStore;
		audit: AuditLog;
	}>;
	readonly clock: Clock;
}

/** @throws AppError `request.invalid`, `application.not_found`, `application_role.name_taken`. */
export async function createRole(
	{ db, clock }: CreateRoleDeps,
	appId: string,
	wanted: Pick<ApplicationRole, "name" | "description" | "permissions">,
	{ tenantId, actor, origin }: AdminContext,
): Promise<ApplicationRole> {
	checkRoleName(wanted.name);
	checkPermissions(wanted.permissions);
	const now = clock();
	const role = { ...wanted, id: newId(now), tenantId, appId, createdAtMs: now, updatedAtMs: now };
	return db.transaction(async ({ applications, applicationRoles, audit }) => {
		if ((await applications.findById(tenantId, appId)) === undefined) throw applicationNotFound();
		if (!(await applicationRoles.insert(role))) throw roleNameTaken(role.name);
		await audit.append({
			tenantId,
			actor,
			action: "application_role.created",
			target: `application_role:${role.id}`,
			origin,
			details: { app_id: appId, name: role.name, permissions: role.permissions },
		});
		return role;
	});
}
