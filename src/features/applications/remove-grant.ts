// Takes an application away from a user or a group.

import { AppError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { AdminContext, GrantStore, GrantSubject } from "./model.ts";

export interface RemoveGrantDeps {
	readonly db: Persistence<{ grants: GrantStore; audit: AuditLog }>;
}

/** @throws AppError `grant.not_found`, also for a foreign application, user or group. */
export async function removeGrant(
	{ db }: RemoveGrantDeps,
	{ appId, subject }: { readonly appId: string; readonly subject: GrantSubject },
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	await db.transaction(async ({ grants, audit }) => {
		const removed = await grants.remove(tenantId, appId, subject);
		if (removed === undefined)
			throw new AppError("grant.not_found", `this ${subject.kind} has no grant to this application`);
		await audit.append({
			tenantId,
			actor,
			action: "grant.removed",
			target: `${subject.kind}:${subject.id}`,
			origin,
			details: { app_id: appId, grant_id: removed.id },
		});
	});
}
