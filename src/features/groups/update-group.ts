// Changes a group's name or description.

import { differences, type Patch, wireNames } from "../../kernel/changes.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { type Group, type GroupChanges, type GroupStore, groupNameTaken, groupNotFound } from "./model.ts";

export interface UpdateGroupDeps {
	readonly db: Persistence<{ groups: GroupStore; audit: AuditLog }>;
	readonly clock: Clock;
}

/**
 * A patch that changes nothing writes nothing.
 *
 * @throws AppError `group.not_found`, `group.name_taken`.
 */
export async function updateGroup(
	{ db, clock }: UpdateGroupDeps,
	id: string,
	patch: Patch<GroupChanges>,
	{ tenantId, actor, origin }: AdminContext,
): Promise<Group> {
	const now = clock();
	return db.transaction(async ({ groups, audit }) => {
		const before = await groups.findById(tenantId, id);
		if (before === undefined) throw groupNotFound();
		const changes = differences<GroupChanges>(before, patch);
		if (Object.keys(changes).length === 0) return before;
		const outcome = await groups.update(tenantId, id, changes, now);
		if (outcome === "missing") throw groupNotFound();
		if (outcome === "name_taken") throw groupNameTaken(changes.name ?? before.name);
		await audit.append({
			tenantId,
			actor,
			action: "group.updated",
			target: `group:${id}`,
			origin,
			details: { fields: wireNames(changes), ...(changes.name && { name: changes.name }) },
		});
		return { ...before, ...changes, updatedAtMs: now };
	});
}
