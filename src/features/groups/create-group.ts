// Makes a group; nobody is in it yet.

import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { type Group, type GroupStore, groupNameTaken } from "./model.ts";

export interface CreateGroupDeps {
	readonly db: Persistence<{ groups: GroupStore; audit: AuditLog }>;
	readonly clock: Clock;
}

/** @throws AppError `group.name_taken`, decided by the index. */
export async function createGroup(
	{ db, clock }: CreateGroupDeps,
	wanted: Pick<Group, "name" | "description">,
	{ tenantId, actor, origin }: AdminContext,
): Promise<Group> {
	const now = clock();
	const group = { ...wanted, id: newId(now), tenantId, createdAtMs: now, updatedAtMs: now };
	return db.transaction(async ({ groups, audit }) => {
		if (!(await groups.insert(group))) throw groupNameTaken(group.name);
		await audit.append({
			tenantId,
			actor,
			action: "group.created",
			target: `group:${group.id}`,
			origin,
			details: { name: group.name },
		});
		return group;
	});
}
