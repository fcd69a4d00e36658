// Groups and their members in SQL.

import {
	type GroupMember,
	type GroupStore,
	groupNameKey,
	type RemovedWithGroup,
} from "../../domain/group.ts";
import type { Queries } from "../sql/engine.ts";
import { Filter, listPage } from "../sql/page.ts";
import { unlessTaken } from "../sql/table.ts";
import { groupGrants, groupMembers, groups, storedGroups } from "../sql/tables/access-tables.ts";
import { users } from "../sql/tables/account-tables.ts";

const THIS_GROUP = "id = $1 AND tenant_id = $2";
const THIS_MEMBER = "group_id = $1 AND user_id = $2 AND tenant_id = $3";
const MEMBERS = {
	columns: `m.user_id AS "userId", m.added_at AS "addedAtMs",
		${users.pick("username", "displayName", "email", "status").as("u").columns}`,
	from: "group_members m JOIN users u ON u.id = m.user_id AND u.tenant_id = m.tenant_id",
	order: "m.added_at DESC, m.user_id DESC",
};

export function createGroupStore(queries: Queries): GroupStore {
	return {
		insert: (group) =>
			storedGroups.insertUnlessTaken(queries, { ...group, nameKey: groupNameKey(group.name) }),
		findById: (tenantId, id) => groups.find(queries, THIS_GROUP, id, tenantId),
		list({ tenantId, q }, page) {
			const filter = new Filter().add("tenant_id = ?", tenantId).contains(["name", "description"], q);
			return groups.list(queries, { filter }, page);
		},
		update(tenantId, id, changes, nowMs) {
			const nameKey = changes.name === undefined ? undefined : groupNameKey(changes.name);
			const row = { ...changes, nameKey, updatedAtMs: nowMs };
			const update = storedGroups.updateOne(queries, row, THIS_GROUP, id, tenantId);
			return unlessTaken(
				update.then((done) => (done ? "updated" : "missing")),
				() => "name_taken",
			);
		},
		remove: (tenantId, id) => remove(queries, id, tenantId),
		addMember: (tenantId, groupId, userId, nowMs) =>
			groupMembers.insertUnlessTaken(queries, { groupId, userId, tenantId, addedAtMs: nowMs }),
		removeMember: (tenantId, groupId, userId) =>
			groupMembers.deleteOne(queries, THIS_MEMBER, groupId, userId, tenantId),
		listMembers(tenantId, groupId, page) {
			const filter = new Filter().add("m.group_id = ? AND m.tenant_id = ?", groupId, tenantId);
			return listPage<GroupMember, GroupMember>(queries, { ...MEMBERS, filter }, page, (row) => row);
		},
	};
}

/** Deletes the children itself, although the foreign keys would, to count them. */
async function remove(
	queries: Queries,
	...place: readonly [id: string, tenantId: string]
): Promise<RemovedWithGroup | undefined> {
	const ofGroup = "group_id = $1 AND tenant_id = $2";
	const members = await groupMembers.delete(queries, ofGroup, ...place);
	const grants = await groupGrants.delete(queries, ofGroup, ...place);
	return (await groups.deleteOne(queries, THIS_GROUP, ...place)) ? { members, grants } : undefined;
}
