// Takes an application away from a user.

import { AppError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { AdminContext, GrantStore } from "./model.ts";

export interface RemoveGrantDeps {
	readonly db: Persistence<{ grants: GrantStore; audit: AuditLog }>;
}

/** @throws AppError `grant.not_found`, also for a foreign application or user. */
export async function removeGrant(
	{ db }: RemoveGrantDeps,
	{ appId, userId }: { readonly appId: string; readonly userId: string },
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	await db.transaction(async ({ grants, audit }) => {
		if (!(await grants.remove(tenantId, appId, userId)))
			throw new AppError("grant.not_found", "this user has no grant to this application");
		await audit.append({
			tenantId,
			actor,
			action: "grant.removed",
			target: `user:${userId}`,
			origin,
			details: { app_id: appId },
		});
	});
}
