// Groups and their members in SQL.

import { USAGE_COUNT_MAX } from "../../domain/application.ts";
import {
	type EndedMember,
	type GroupMember,
	type GroupStore,
	type GroupUsage,
	groupNameKey,
	type UserGroup,
} from "../../domain/group.ts";
import { listRows } from "../sql/page.ts";
import { places } from "../sql/parameter-lists.ts";
import { type Queries, statement } from "../sql/queries.ts";
import { groupGrants, groupMembers, groups, storedGroups } from "../sql/tables/access-tables.ts";
import { users } from "../sql/tables/account-tables.ts";
import { grantOrders } from "./grant-store.ts";
import type { TenantTime } from "./tenant-time.ts";

const MEMBERS = {
	columns: `m.user_id AS "userId", m.added_at AS "addedAtMs", m.expires_at AS "expiresAtMs",
		${users.pick("username", "displayName", "email", "status").as("u").columns}`,
	from: "group_members m JOIN users u ON u.id = m.user_id AND u.tenant_id = m.tenant_id",
};
const MEMBER_ORDER = grantOrders("m.", "added_at", "user_id");
const OF_USER = {
	columns: `m.group_id AS "groupId", m.added_at AS "addedAtMs", m.expires_at AS "expiresAtMs",
		${groups.pick("name", "description").as("o").columns}`,
	from: "group_members m JOIN user_groups o ON o.id = m.group_id AND o.tenant_id = m.tenant_id",
};
const OF_USER_ORDER = grantOrders("m.", "added_at", "group_id");

/** Its parameter is the time of the tenant. */
const LASTS = "(m.expires_at IS NULL OR m.expires_at > ?)";

const countOf = (table: string): string =>
	`(SELECT count(*) FROM (SELECT 1 FROM ${table} m WHERE m.group_id = g.id
		AND (m.expires_at IS NULL OR m.expires_at > $2) LIMIT ${USAGE_COUNT_MAX}) AS counted)`;
const USAGE = `SELECT g.id, ${countOf("group_members")} AS members, ${countOf("group_grants")} AS applications
	FROM user_groups g WHERE g.tenant_id = $1 AND g.id IN`;

const TAKE_ENDED = statement(
	`DELETE FROM group_members WHERE (group_id, user_id) IN (
		SELECT group_id, user_id FROM group_members WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
	 RETURNING tenant_id AS "tenantId", group_id AS "groupId", user_id AS "userId", expires_at AS "expiresAtMs"`,
	{ isWrite: true },
);

export function createGroupStore(queries: Queries, timeOf: TenantTime): GroupStore {
	return {
		insert: (group) =>
			storedGroups.insertUnlessTaken(queries, { ...group, nameKey: groupNameKey(group.name) }),
		findById: (tenantId, id) => groups.find(queries, { id, tenantId }),
		list({ tenantId, q }, page) {
			const filter = groups.matching({ tenantId }).contains(["name_folded", "description_folded"], q);
			return groups.list(queries, { filter }, page);
		},
		async listUsage(tenantId, ids) {
			if (ids.length === 0) return new Map();
			const sql = statement(`${USAGE} (${places(ids, 3)})`, { reads: "separately" });
			const now = await timeOf(tenantId);
			const rows = await queries.all<GroupUsage & { readonly id: string }>(sql, tenantId, now, ...ids);
			return new Map(rows.map(({ id, ...usage }) => [id, usage]));
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
		async putMember(member) {
			const { tenantId, groupId, userId, addedAtMs, expiresAtMs } = member;
			const key = { groupId, userId, tenantId };
			const created = {
				...key,
				addedAtMs,
				expiresAtMs: expiresAtMs ?? null,
				lastUsedAtMs: null,
				noticedEndMs: null,
			};
			if (await groupMembers.insertUnlessTaken(queries, created))
				return { outcome: "created", member: created, previousEndMs: null };
			const held = await groupMembers.findLocked(queries, key);
			if (held === undefined) throw new Error("a membership vanished while it was changed");
			if (held.expiresAtMs !== null && held.expiresAtMs <= (await timeOf(tenantId))) {
				await groupMembers.delete(queries, key);
				await groupMembers.insert(queries, created);
				const replaced = { ...key, expiresAtMs: held.expiresAtMs };
				return { outcome: "created", member: created, previousEndMs: null, replaced };
			}
			const previousEndMs = held.expiresAtMs;
			if (expiresAtMs === undefined || expiresAtMs === previousEndMs)
				return { outcome: "unchanged", member: held, previousEndMs };
			await groupMembers.update(queries, { expiresAtMs }, key);
			return { outcome: "changed", member: { ...held, expiresAtMs }, previousEndMs };
		},
		takeEnded: (nowMs, limit) => queries.all<EndedMember>(TAKE_ENDED, nowMs, limit),
		removeMember: async (tenantId, groupId, userId) =>
			groupMembers.deleteOne(
				queries,
				"group_id = $1 AND user_id = $2 AND tenant_id = $3 AND (expires_at IS NULL OR expires_at > $4)",
				groupId,
				userId,
				tenantId,
				await timeOf(tenantId),
			),
		async listMembers(tenantId, groupId, page, sort = "newest") {
			const filter = groupMembers
				.as("m")
				.matching({ groupId, tenantId })
				.add(LASTS, await timeOf(tenantId));
			// Sorts all members of the group.
			if (sort === "expires_at") filter.separately();
			const select = { ...MEMBERS, order: MEMBER_ORDER[sort], filter };
			return listRows<GroupMember>(queries, select, page);
		},
		async listOfUser(tenantId, userId, page, sort = "newest") {
			const filter = groupMembers
				.as("m")
				.matching({ userId, tenantId })
				.add(LASTS, await timeOf(tenantId));
			const select = { ...OF_USER, order: OF_USER_ORDER[sort], filter };
			return listRows<UserGroup>(queries, select, page);
		},
	};
}
