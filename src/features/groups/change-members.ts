// Puts a user into a group, or takes them out.

import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { type UserStore, userNotFound } from "../users/model.ts";
import { type GroupStore, groupNotFound } from "./model.ts";

export interface ChangeMembersDeps {
	readonly db: Persistence<{ groups: GroupStore; users: UserStore; audit: AuditLog }>;
	readonly clock: Clock;
}

interface Membership {
	readonly groupId: string;
	readonly userId: string;
}

/**
 * Idempotent: who is in the group already stays, and nothing is written.
 *
 * @throws AppError `group.not_found`, `user.not_found`.
 */
export async function addMember(
	{ db, clock }: ChangeMembersDeps,
	{ groupId, userId }: Membership,
	context: AdminContext,
): Promise<void> {
	const { tenantId } = context;
	const now = clock();
	await db.transaction(async ({ groups, users, audit }) => {
		const group = await groups.findById(tenantId, groupId);
		if (group === undefined) throw groupNotFound();
		if ((await users.findById(tenantId, userId)) === undefined) throw userNotFound();
		if (!(await groups.addMember(tenantId, groupId, userId, now))) return;
		await append(audit, "group_member.added", userId, group, context);
	});
}

/** @throws AppError `group.not_found`, `group_member.not_found` (also for a foreign or unknown user). */
export async function removeMember(
	{ db }: Pick<ChangeMembersDeps, "db">,
	{ groupId, userId }: Membership,
	context: AdminContext,
): Promise<void> {
	const { tenantId } = context;
	await db.transaction(async ({ groups, audit }) => {
		const group = await groups.findById(tenantId, groupId);
		if (group === undefined) throw groupNotFound();
		if (!(await groups.removeMember(tenantId, groupId, userId)))
			throw new AppError("group_member.not_found", "this user is not in the group");
		await append(audit, "group_member.removed", userId, group, context);
	});
}

/** About the user, since that is whose access changes. */
function append(
	audit: AuditLog,
	action: "group_member.added" | "group_member.removed",
	userId: string,
	group: { readonly id: string; readonly name: string },
	{ tenantId, actor, origin }: AdminContext,
): Promise<void> {
	const details = { group_id: group.id, group_name: group.name };
	return audit.append({ tenantId, actor, action, target: `user:${userId}`, origin, details });
}
