// Groups and their members in SQL.

import {
	type Group,
	type GroupChanges,
	type GroupMember,
	type GroupStore,
	groupNameKey,
	type RemovedWithGroup,
} from "../../features/groups/model.ts";
import type { UserStatus } from "../../features/users/model.ts";
import { UniqueViolation } from "../../kernel/transaction.ts";
import type { Queries } from "./engine.ts";
import { Filter, listPage } from "./page.ts";
import { setClause } from "./set-clause.ts";

interface GroupRow {
	id: string;
	tenant_id: string;
	name: string;
	description: string;
	created_at: number;
	updated_at: number;
}

interface MemberRow {
	user_id: string;
	username: string;
	display_name: string;
	email: string;
	status: UserStatus;
	added_at: number;
}

const COLUMNS = "id, tenant_id, name, description, created_at, updated_at";
const MEMBER = "group_id = $1 AND user_id = $2 AND tenant_id = $3";

export function createGroupStore(queries: Queries): GroupStore {
	return {
		async insert(group) {
			const changed = await queries.run(
				`INSERT INTO user_groups (${COLUMNS}, name_key) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
				group.id,
				group.tenantId,
				group.name,
				group.description,
				group.createdAtMs,
				group.updatedAtMs,
				groupNameKey(group.name),
			);
			return changed === 1;
		},
		async findById(tenantId, id) {
			const row = await queries.one<GroupRow>(
				`SELECT ${COLUMNS} FROM user_groups WHERE id = $1 AND tenant_id = $2`,
				id,
				tenantId,
			);
			return row && toGroup(row);
		},
		list({ tenantId, q }, page) {
			const filter = new Filter().add("tenant_id = ?", tenantId).contains(["name", "description"], q);
			return listPage<GroupRow, Group>(
				queries,
				{ columns: COLUMNS, from: "user_groups", order: "created_at DESC, id DESC", filter },
				page,
				toGroup,
			);
		},
		update: (tenantId, id, changes, nowMs) => update(queries, [id, tenantId], changes, nowMs),
		remove: (tenantId, id) => remove(queries, tenantId, id),
		async addMember(tenantId, groupId, userId, nowMs) {
			const changed = await queries.run(
				"INSERT INTO group_members (group_id, user_id, tenant_id, added_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
				groupId,
				userId,
				tenantId,
				nowMs,
			);
			return changed === 1;
		},
		async removeMember(tenantId, groupId, userId) {
			return (
				(await queries.run(`DELETE FROM group_members WHERE ${MEMBER}`, groupId, userId, tenantId)) === 1
			);
		},
		listMembers(tenantId, groupId, page) {
			const filter = new Filter().add("m.group_id = ? AND m.tenant_id = ?", groupId, tenantId);
			return listPage<MemberRow, GroupMember>(
				queries,
				{
					columns: "m.user_id, u.username, u.display_name, u.email, u.status, m.added_at",
					from: "group_members m JOIN users u ON u.id = m.user_id AND u.tenant_id = m.tenant_id",
					order: "m.added_at DESC, m.user_id DESC",
					filter,
				},
				page,
				toMember,
			);
		},
	};
}

async function update(
	queries: Queries,
	place: readonly [id: string, tenantId: string],
	changes: GroupChanges,
	nowMs: number,
): Promise<"updated" | "missing" | "name_taken"> {
	const { assignments, values } = setClause(
		{
			name: changes.name,
			name_key: changes.name === undefined ? undefined : groupNameKey(changes.name),
			description: changes.description,
			updated_at: nowMs,
		},
		3,
	);
	try {
		const sql = `UPDATE user_groups SET ${assignments} WHERE id = $1 AND tenant_id = $2`;
		return (await queries.run(sql, ...place, ...values)) === 1 ? "updated" : "missing";
	} catch (error) {
		if (error instanceof UniqueViolation) return "name_taken";
		throw error;
	}
}

/** What hangs on it first, though the foreign keys would take it too: so it is counted. */
async function remove(queries: Queries, tenantId: string, id: string): Promise<RemovedWithGroup | undefined> {
	const from = (table: string): Promise<number> =>
		queries.run(`DELETE FROM ${table} WHERE group_id = $1 AND tenant_id = $2`, id, tenantId);
	const members = await from("group_members");
	const grants = await from("group_grants");
	const removed = await queries.run("DELETE FROM user_groups WHERE id = $1 AND tenant_id = $2", id, tenantId);
	return removed === 1 ? { members, grants } : undefined;
}

function toGroup(row: GroupRow): Group {
	return {
		id: row.id,
		tenantId: row.tenant_id,
		name: row.name,
		description: row.description,
		createdAtMs: row.created_at,
		updatedAtMs: row.updated_at,
	};
}

function toMember(row: MemberRow): GroupMember {
	return {
		userId: row.user_id,
		username: row.username,
		displayName: row.display_name,
		email: row.email,
		status: row.status,
		addedAtMs: row.added_at,
	};
}
