// Creates, reads, changes, and deletes groups, and adds and removes their members.

import { type AuditDetails, named, userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { checkEnd } from "../../../domain/grant.ts";
import {
	type EndedMember,
	type Group,
	type GroupChanges,
	type GroupMember,
	type GroupStore,
	groupNameTaken,
	groupNotFound,
} from "../../../domain/group.ts";
import type { Stores } from "../../../domain/stores.ts";
import { userNotFound } from "../../../domain/user.ts";
import { changeDetails, differences, fieldChanges, type Patch } from "../../../kernel/changes.ts";
import { isoTime, isoTimeOrNull } from "../../../kernel/clock.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";

type Needed = Needs<"groups" | "audit", "clock">;

/** @throws AppError `group.not_found`. */
export async function getGroup(groups: GroupStore, tenantId: string, id: string): Promise<Group> {
	return found(await groups.findById(tenantId, id), groupNotFound);
}

/** @throws AppError `group.name_taken`, decided by the unique index. */
export async function createGroup(
	{ db, clock }: Needed,
	fields: Pick<Group, "name" | "description">,
	caller: Caller,
): Promise<Group> {
	const now = clock();
	const { tenantId } = caller;
	const group = { ...fields, id: newId(now), tenantId, managedBy: null, createdAtMs: now, updatedAtMs: now };
	return db.transaction(async ({ groups, audit }) => {
		if (!(await groups.insert(group))) throw groupNameTaken(group.name);
		await audit.append(caller, "group.created", named("group", group.id, group.name), { name: group.name });
		return group;
	});
}

/**
 * Writes nothing when the patch changes nothing.
 *
 * @throws AppError `group.not_found`, `group.name_taken`.
 */
export async function updateGroup(
	{ db, clock }: Needed,
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
		await audit.append(
			caller,
			"group.updated",
			named("group", id, before.name),
			changeDetails(changes, ["name"]),
			fieldChanges(before, changes),
		);
		return { ...before, ...changes, updatedAtMs: now };
	});
}

/**
 * Deletes its memberships and grants in the same transaction; the audit event counts them.
 *
 * @throws AppError `group.not_found`.
 */
export async function deleteGroup({ db }: Needed, id: string, caller: Caller): Promise<void> {
	await db.transaction(async ({ groups, audit }) => {
		const { name } = await getGroup(groups, caller.tenantId, id);
		const removed = found(await groups.remove(caller.tenantId, id), groupNotFound);
		await audit.append(caller, "group.deleted", named("group", id, name), { name, ...removed });
	});
}

interface Membership {
	readonly groupId: string;
	readonly userId: string;
}

/**
 * Idempotent: writes nothing if nothing changes. The target of the audit event is the user, whose access changes.
 *
 * @param expiresAtMs undefined: a membership keeps its end
 * @throws AppError `group.not_found`, `user.not_found`, `request.invalid` (`expires_at`).
 */
export async function putMember(
	{ db, clock }: Needs<"grants" | "groups" | "users" | "audit", "clock">,
	place: Membership,
	expiresAtMs: number | null | undefined,
	caller: Caller,
): Promise<{ readonly isNew: boolean; readonly member: GroupMember }> {
	return db.transaction((stores) => changeMember(stores, place, expiresAtMs, caller, clock()));
}

/** `putMember` inside a transaction. */
export async function changeMember(
	{ grants, groups, users, audit }: Stores<"grants" | "groups" | "users" | "audit">,
	{ groupId, userId }: Membership,
	expiresAtMs: number | null | undefined,
	caller: Caller,
	nowMs: number,
): ReturnType<typeof putMember> {
	const { tenantId } = caller;
	if (expiresAtMs !== undefined) checkEnd(expiresAtMs, await grants.now(tenantId));
	const { name } = await getGroup(groups, tenantId, groupId);
	const user = found(await users.findById(tenantId, userId), userNotFound);
	const wanted = { tenantId, groupId, userId, expiresAtMs, addedAtMs: nowMs };
	const { outcome, member, previousEndMs, replaced } = await groups.putMember(wanted);
	if (replaced !== undefined)
		await audit.append(caller, "group.member_expired", userTarget(user), endedDetails(replaced, name));
	const from = isoTimeOrNull(previousEndMs);
	const to = isoTimeOrNull(member.expiresAtMs);
	const details = { group_id: groupId, group_name: name, expires_at: to };
	if (outcome === "created") await audit.append(caller, "group_member.added", userTarget(user), details);
	if (outcome === "changed")
		await audit.append(caller, "group_member.updated", userTarget(user), details, {
			expires_at: { from, to },
		});
	return { isNew: outcome === "created", member: { ...user, userId, ...member } };
}

/** The details of `group.member_expired`. */
export function endedDetails({ groupId, expiresAtMs }: EndedMember, groupName: string): AuditDetails {
	return { group_id: groupId, group_name: groupName, expires_at: isoTime(expiresAtMs) };
}

/** @throws AppError `group.not_found`, `group_member.not_found` (also for a foreign or unknown user). */
export async function removeMember(
	{ db }: Needs<"groups" | "users" | "audit">,
	{ groupId, userId }: Membership,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async ({ groups, users, audit }) => {
		const { name } = await getGroup(groups, tenantId, groupId);
		if (!(await groups.removeMember(tenantId, groupId, userId)))
			throw new AppError("group_member.not_found", "this user is not in the group");
		const user = found(await users.findById(tenantId, userId), userNotFound);
		const details = { group_id: groupId, group_name: name };
		await audit.append(caller, "group_member.removed", userTarget(user), details);
	});
}
