// Groups and their members in SQL.

import { type GroupMember, type GroupStore, groupNameKey, type UserGroup } from "../../domain/group.ts";
import { listPage } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { groupGrants, groupMembers, groups, storedGroups } from "../sql/tables/access-tables.ts";
import { users } from "../sql/tables/account-tables.ts";

const MEMBERS = {
	columns: `m.user_id AS "userId", m.added_at AS "addedAtMs",
		${users.pick("username", "displayName", "email", "status").as("u").columns}`,
	from: "group_members m JOIN users u ON u.id = m.user_id AND u.tenant_id = m.tenant_id",
	order: "m.added_at DESC, m.user_id DESC",
};
const OF_USER = {
	columns: `m.group_id AS "groupId", m.added_at AS "addedAtMs", ${groups.pick("name", "description").as("o").columns}`,
	from: "group_members m JOIN user_groups o ON o.id = m.group_id AND o.tenant_id = m.tenant_id",
	order: "m.added_at DESC, m.group_id DESC",
};

export function createGroupStore(queries: Queries): GroupStore {
	return {
		insert: (group) =>
			storedGroups.insertUnlessTaken(queries, { ...group, nameKey: groupNameKey(group.name) }),
		findById: (tenantId, id) => groups.find(queries, { id, tenantId }),
		list({ tenantId, q }, page) {
			const filter = groups.matching({ tenantId }).contains(["name_folded", "description_folded"], q);
			return groups.list(queries, { filter }, page);
		},
		update(tenantId, id, changes, nowMs) {
			const nameKey = changes.name === undefined ? undefined : groupNameKey(changes.name);
			const row = { ...changes, nameKey, updatedAtMs: nowMs };
			return groups.updateUnlessTaken(queries, row, { id, tenantId }, "name_taken");
		},
		/** Deletes the children explicitly to count them; the foreign keys would delete them too. */
		async remove(tenantId, id) {
			const members = await groupMembers.delete(queries, { groupId: id, tenantId });
			const grants = await groupGrants.delete(queries, { groupId: id, tenantId });
			return (await groups.deleteOne(queries, { id, tenantId })) ? { members, grants } : undefined;
		},
		addMember: (tenantId, groupId, userId, nowMs) =>
			groupMembers.insertUnlessTaken(queries, { groupId, userId, tenantId, addedAtMs: nowMs }),
		removeMember: (tenantId, groupId, userId) =>
			groupMembers.deleteOne(queries, { groupId, userId, tenantId }),
		listMembers(tenantId, groupId, page) {
			const filter = groupMembers.as("m").matching({ groupId, tenantId });
			return listPage<GroupMember, GroupMember>(queries, { ...MEMBERS, filter }, page, (row) => row);
		},
		listOfUser(tenantId, userId, page) {
			const filter = groupMembers.as("m").matching({ userId, tenantId });
			return listPage<UserGroup, UserGroup>(queries, { ...OF_USER, filter }, page, (row) => row);
		},
	};
}
