// Deletes an application and everything that stands on it.

import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { type AdminContext, type ApplicationStore, applicationNotFound } from "./model.ts";

export interface DeleteApplicationDeps {
	readonly db: Persistence<{ applications: ApplicationStore; audit: AuditLog }>;
}

/**
 * Roles, grants and API clients go with it, in the same transaction; the audit entry says how many.
 *
 * @throws AppError `application.not_found`.
 */
export async function deleteApplication(
	{ db }: DeleteApplicationDeps,
	id: string,
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	await db.transaction(async ({ applications, audit }) => {
		const before = await applications.findById(tenantId, id);
		const removed = await applications.remove(tenantId, id);
		if (before === undefined || removed === undefined) throw applicationNotFound();
		await audit.append({
			tenantId,
			actor,
			action: "application.deleted",
			target: `application:${id}`,
			origin,
			details: {
				name: before.name,
				slug: before.slug,
				roles: removed.roles,
				grants: removed.grants,
				api_clients: removed.apiClients,
			},
		});
	});
}
