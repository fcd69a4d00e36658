// Deletes a group, and with it what was granted to its members through it.

import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { type GroupStore, groupNotFound } from "./model.ts";

export interface DeleteGroupDeps {
	readonly db: Persistence<{ groups: GroupStore; audit: AuditLog }>;
}

/**
 * Memberships and the group's grants go with it, in the same transaction; the audit entry says how many.
 *
 * @throws AppError `group.not_found`.
 */
export async function deleteGroup(
	{ db }: DeleteGroupDeps,
	id: string,
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	await db.transaction(async ({ groups, audit }) => {
		const before = await groups.findById(tenantId, id);
		const removed = await groups.remove(tenantId, id);
		if (before === undefined || removed === undefined) throw groupNotFound();
		await audit.append({
			tenantId,
			actor,
			action: "group.deleted",
			target: `group:${id}`,
			origin,
			details: { name: before.name, members: removed.members, grants: removed.grants },
		});
	});
}
