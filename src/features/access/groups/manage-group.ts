// Creates, reads, changes and deletes groups, and adds and removes their members.

import type { Caller } from "../../../domain/caller.ts";
import {
	type Group,
	type GroupChanges,
	type GroupStore,
	groupNameTaken,
	groupNotFound,
} from "../../../domain/group.ts";
import { userNotFound } from "../../../domain/user.ts";
import { differences, type Patch, wireNames } from "../../../kernel/changes.ts";
import { AppError } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";

/** @throws AppError `group.not_found`. */
export async function getGroup(groups: GroupStore, tenantId: string, id: string): Promise<Group> {
	const group = await groups.findById(tenantId, id);
	if (group === undefined) throw groupNotFound();
	return group;
}

/** @throws AppError `group.name_taken`, decided by the unique index. */
export async function createGroup(
	{ db, clock }: Needs<"groups" | "audit", "clock">,
	fields: Pick<Group, "name" | "description">,
	caller: Caller,
): Promise<Group> {
	const now = clock();
	const { tenantId } = caller;
	const group = { ...fields, id: newId(now), tenantId, createdAtMs: now, updatedAtMs: now };
	return db.transaction(async ({ groups, audit }) => {
		if (!(await groups.insert(group))) throw groupNameTaken(group.name);
		await audit.append(caller, "group.created", `group:${group.id}`, { name: group.name });
		return group;
	});
}

/**
 * Writes nothing when the patch changes nothing.
 *
 * @throws AppError `group.not_found`, `group.name_taken`.
 */
export async function updateGroup(
	{ db, clock }: Needs<"groups" | "audit", "clock">,
	id: string,
	patch: Patch<GroupChanges>,
	caller: Caller,
): Promise<Group> {
	const now = clock();
	return db.transaction(async ({ groups, audit }) => {
		const before = await getGroup(groups, caller.tenantId, id);
		const changes = differences<GroupChanges>(before, patch);
		if (Object.keys(changes).length === 0) return before;
		const outcome = await groups.update(caller.tenantId, id, changes, now);
		if (outcome === "missing") throw groupNotFound();
		if (outcome === "name_taken") throw groupNameTaken(changes.name ?? before.name);
		await audit.append(caller, "group.updated", `group:${id}`, {
			fields: wireNames(changes),
			...(changes.name && { name: changes.name }),
		});
		return { ...before, ...changes, updatedAtMs: now };
	});
}

/**
 * Deletes its memberships and grants in the same transaction; the audit event counts them.
 *
 * @throws AppError `group.not_found`.
 */
export async function deleteGroup(
	{ db }: Needs<"groups" | "audit">,
	id: string,
	caller: Caller,
): Promise<void> {
	await db.transaction(async ({ groups, audit }) => {
		const { name } = await getGroup(groups, caller.tenantId, id);
		const removed = await groups.remove(caller.tenantId, id);
		if (removed === undefined) throw groupNotFound();
		await audit.append(caller, "group.deleted", `group:${id}`, { name, ...removed });
	});
}

interface Membership {
	readonly groupId: string;
	readonly userId: string;
}

/**
 * Idempotent: writes nothing for a user who is a member already. The audit event targets the user, whose access changes.
 *
 * @throws AppError `group.not_found`, `user.not_found`.
 */
export async function addMember(
	{ db, clock }: Needs<"groups" | "users" | "audit", "clock">,
	{ groupId, userId }: Membership,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async ({ groups, users, audit }) => {
		const { name } = await getGroup(groups, tenantId, groupId);
		if ((await users.findById(tenantId, userId)) === undefined) throw userNotFound();
		if (!(await groups.addMember(tenantId, groupId, userId, clock()))) return;
		const details = { group_id: groupId, group_name: name };
		await audit.append(caller, "group_member.added", `user:${userId}`, details);
	});
}

/** @throws AppError `group.not_found`, `group_member.not_found` (also for a foreign or unknown user). */
export async function removeMember(
	{ db }: Needs<"groups" | "audit">,
	{ groupId, userId }: Membership,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async ({ groups, audit }) => {
		const { name } = await getGroup(groups, tenantId, groupId);
		if (!(await groups.removeMember(tenantId, groupId, userId)))
			throw new AppError("group_member.not_found", "this user is not in the group");
		const details = { group_id: groupId, group_name: name };
		await audit.append(caller, "group_member.removed", `user:${userId}`, details);
	});
}
