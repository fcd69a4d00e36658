// People and groups of directories in SQL.

import { type DirectoryPeopleStore, MEMBERS_MAX, type ResourceQuery } from "../../domain/directory.ts";
import type { EndedMember } from "../../domain/group.ts";
import type { Filter } from "../sql/page.ts";
import { paddedLists, places } from "../sql/parameter-lists.ts";
import { columnOf, type Queries, statement } from "../sql/queries.ts";
import { unlessTaken } from "../sql/table.ts";
import { upTo } from "../sql/table-columns.ts";
import { groupMembers } from "../sql/tables/access-tables.ts";
import { directoryEmails, directoryGroups, directoryPeople } from "../sql/tables/directory-tables.ts";
import { conditionOf, type Searchable } from "./scim-filter-sql.ts";
import type { TenantTime } from "./tenant-time.ts";

const text = (sql: string) => ({ sql, type: "text" }) as const;
const exact = (sql: string) => ({ sql, type: "exact" }) as const;
const changed = { sql: "d.updated_at", type: "time" } as const;

function people({ issuerId }: ResourceQuery): Searchable {
	return {
		columns: {
			id: exact("d.user_id"),
			username: text("d.user_name_key"),
			externalid: exact("d.external_id"),
			displayname: text("d.display_name_key"),
			active: { sql: "d.active", type: "boolean" },
			"meta.lastmodified": changed,
		},
		rows: {
			emails: {
				sql: "d.user_id IN (SELECT e.user_id FROM directory_emails e WHERE e.issuer_id = ?",
				parameters: [issuerId],
				columns: {
					value: text("e.value_key"),
					type: text("e.type"),
					primary: { sql: "e.is_primary", type: "boolean" },
				},
			},
		},
	};
}

function groups({ issuerId, tenantId }: ResourceQuery): Searchable {
	return {
		columns: {
			id: exact("d.group_id"),
			displayname: text("d.display_name_key"),
			externalid: exact("d.external_id"),
			"meta.lastmodified": changed,
		},
		rows: {
			members: {
				sql: `d.group_id IN (SELECT m.group_id FROM group_members m
					JOIN directory_people o ON o.user_id = m.user_id AND o.issuer_id = ? WHERE m.tenant_id = ?`,
				parameters: [issuerId, tenantId],
				columns: { value: exact("m.user_id") },
			},
		},
	};
}

const PEOPLE = directoryPeople.as("d");
const GROUPS = directoryGroups.as("d");

export function createDirectoryPeopleStore(queries: Queries, timeOf: TenantTime): DirectoryPeopleStore {
	const setEmails: (
		person: { readonly userId: string; readonly tenantId: string; readonly issuerId: string },
		emails: Parameters<DirectoryPeopleStore["insert"]>[1],
	) => Promise<void> = async ({ userId, tenantId, issuerId }, emails) => {
		for (const [place, email] of emails.entries())
			await directoryEmails.insert(queries, { ...email, userId, tenantId, issuerId, place });
	};
	return {
		async insert(person, emails) {
			if (!(await directoryPeople.insertUnlessTaken(queries, person))) return false;
			await setEmails(person, emails);
			return true;
		},
		find: (tenantId, issuerId, userId) => directoryPeople.find(queries, { userId, tenantId, issuerId }),
		findOfUser: (tenantId, userId) => directoryPeople.find(queries, { userId, tenantId }),
		list: (query) => list(queries, query, PEOPLE, "d.user_id", people(query)),
		async findUsers(tenantId, issuerId, userIds) {
			const found: { readonly id: string; readonly username: string }[] = [];
			for (const chunk of paddedLists(userIds))
				found.push(
					...(await queries.all<{ readonly id: string; readonly username: string }>(
						`SELECT u.id, u.username FROM directory_people d JOIN users u ON u.id = d.user_id
						WHERE d.tenant_id = $1 AND d.issuer_id = $2 AND d.user_id IN (${places(chunk, 3)})`,
						tenantId,
						issuerId,
						...chunk,
					)),
				);
			return found;
		},
		async update({ userId, tenantId, issuerId }, changes, emails, nowMs) {
			const isTaken = await unlessTaken<undefined, boolean>(
				directoryPeople
					.update(queries, { ...changes, updatedAtMs: nowMs }, { userId, tenantId, issuerId })
					.then(() => undefined),
				() => true,
			);
			if (isTaken === true) return false;
			await directoryEmails.delete(queries, { userId, tenantId });
			await setEmails({ userId, tenantId, issuerId }, emails);
			return true;
		},
		remove: (tenantId, userId) => directoryPeople.deleteOne(queries, { userId, tenantId }),
		async leaveGroups(tenantId, issuerId, userId) {
			const left = await queries.all<{ id: string; name: string }>(
				`SELECT g.id, g.name FROM group_members m
				JOIN directory_groups d ON d.group_id = m.group_id AND d.issuer_id = $3
				JOIN user_groups g ON g.id = m.group_id WHERE m.user_id = $1 AND m.tenant_id = $2`,
				userId,
				tenantId,
				issuerId,
			);
			for (const { id } of left) await groupMembers.delete(queries, { groupId: id, userId, tenantId });
			return left;
		},

		insertGroup: (group) => directoryGroups.insert(queries, group),
		findGroup: (tenantId, issuerId, groupId) =>
			directoryGroups.find(queries, { groupId, tenantId, issuerId }),
		listGroups: (query) => list(queries, query, GROUPS, "d.group_id", groups(query)),
		updateGroup: (tenantId, groupId, changes, nowMs) =>
			directoryGroups.updateOne(queries, { ...changes, updatedAtMs: nowMs }, { groupId, tenantId }),
		async listMembers(tenantId, issuerId, groupId) {
			return columnOf(
				queries,
				`SELECT m.user_id FROM group_members m
				JOIN directory_people d ON d.user_id = m.user_id AND d.tenant_id = m.tenant_id AND d.issuer_id = $3
				WHERE m.group_id = $1 AND m.tenant_id = $2 AND (m.expires_at IS NULL OR m.expires_at > $4)
				ORDER BY m.user_id LIMIT ${MEMBERS_MAX + 1}`,
				groupId,
				tenantId,
				issuerId,
				await timeOf(tenantId),
			);
		},
		async addMembers(tenantId, groupId, userIds, nowMs) {
			// A membership that is over counts as absent.
			const ended = upTo(await timeOf(tenantId));
			const over = await groupMembers.all(queries, { groupId, tenantId, expiresAtMs: ended });
			const wanted = new Set(userIds);
			const replaced: EndedMember[] = [];
			for (const { userId, expiresAtMs } of over) {
				const key = { groupId, userId, tenantId };
				if (expiresAtMs === null || !wanted.has(userId)) continue;
				if ((await groupMembers.delete(queries, key)) === 1) replaced.push({ ...key, expiresAtMs });
			}
			const rows = userIds.map((userId) => ({
				groupId,
				userId,
				tenantId,
				addedAtMs: nowMs,
				expiresAtMs: null,
				lastUsedAtMs: null,
				noticedEndMs: null,
			}));
			const added = await groupMembers.insertAllUntaken(queries, rows, "user_id");
			return { added: [...added], ended: replaced };
		},
		async removeMembers(tenantId, groupId, userIds) {
			const removed: string[] = [];
			for (const chunk of paddedLists(userIds)) {
				const ids = await columnOf(
					queries,
					statement(
						`DELETE FROM group_members WHERE group_id = $1 AND tenant_id = $2 AND user_id IN (${places(chunk, 3)})
						RETURNING user_id`,
						{ isWrite: true },
					),
					groupId,
					tenantId,
					...chunk,
				);
				removed.push(...ids);
			}
			return removed;
		},
	};
}

/** Their table. */
interface Resources<T> {
	readonly columns: string;
	readonly from: string;
	matching(directory: Pick<ResourceQuery, "tenantId" | "issuerId">): Filter;
	read(row: object): T;
}

async function list<T>(
	queries: Queries,
	{ filter: searched, offset, count, issuerId, tenantId }: ResourceQuery,
	table: Resources<T>,
	id: string,
	searchable: Searchable,
) {
	const { columns, from } = table;
	const filter = table.matching({ issuerId, tenantId });
	if (searched !== undefined) {
		const { sql, parameters } = conditionOf(searched, searchable);
		filter.add(sql, ...parameters);
	}
	const { parameters, where, options } = filter.separately();
	const [total] = await queries.all<{ total: number }>(
		statement(`SELECT count(*) AS total FROM ${from} ${where}`, options),
		...parameters,
	);
	const next = parameters.length + 1;
	const page = `SELECT ${columns} FROM ${from} ${where} ORDER BY ${id} LIMIT $${next} OFFSET $${next + 1}`;
	const rows =
		count === 0 ? [] : await queries.all<object>(statement(page, options), ...parameters, count, offset);
	return { items: rows.map((row) => table.read(row)), total: total?.total ?? 0 };
}
