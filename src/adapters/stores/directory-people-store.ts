// People and groups of directories in SQL.

import { type DirectoryPeopleStore, MEMBERS_MAX, type ResourceQuery } from "../../domain/directory.ts";
import type { EndedMember } from "../../domain/group.ts";
import type { Filter } from "../sql/page.ts";
import { type Queries, type SqlValue, statement } from "../sql/queries.ts";
import { unlessTaken } from "../sql/table.ts";
import { groupMembers } from "../sql/tables/access-tables.ts";
import { directoryEmails, directoryGroups, directoryPeople } from "../sql/tables/directory-tables.ts";
import { conditionOf, type Searchable } from "./scim-filter-sql.ts";
import type { TenantTime } from "./tenant-time.ts";

const CHUNK = 100;
const CHUNKS = [1, 10, CHUNK];

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
		list: (query) =>
			list(queries, query, {
				columns: PEOPLE.columns,
				from: PEOPLE.from,
				id: "d.user_id",
				filter: PEOPLE.matching({ issuerId: query.issuerId, tenantId: query.tenantId }),
				searchable: people(query),
				read: (row) => directoryPeople.read(row),
			}),
		async findUsers(tenantId, issuerId, userIds) {
			const found: { readonly id: string; readonly username: string }[] = [];
			for (const chunk of chunksOf(userIds))
				found.push(
					...(await queries.all<{ readonly id: string; readonly username: string }>(
						`SELECT u.id, u.username FROM directory_people d JOIN users u ON u.id = d.user_id
						WHERE d.tenant_id = $1 AND d.issuer_id = $2 AND d.user_id IN (${placeholders(3, chunk.length)})`,
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
		listGroups: (query) =>
			list(queries, query, {
				columns: GROUPS.columns,
				from: GROUPS.from,
				id: "d.group_id",
				filter: GROUPS.matching({ issuerId: query.issuerId, tenantId: query.tenantId }),
				searchable: groups(query),
				read: (row) => directoryGroups.read(row),
			}),
		updateGroup: (tenantId, groupId, changes, nowMs) =>
			directoryGroups.updateOne(queries, { ...changes, updatedAtMs: nowMs }, { groupId, tenantId }),
		async listMembers(tenantId, issuerId, groupId) {
			const rows = await queries.all<{ userId: string }>(
				`SELECT m.user_id AS "userId" FROM group_members m
				JOIN directory_people d ON d.user_id = m.user_id AND d.tenant_id = m.tenant_id AND d.issuer_id = $3
				WHERE m.group_id = $1 AND m.tenant_id = $2 AND (m.expires_at IS NULL OR m.expires_at > $4)
				ORDER BY m.user_id LIMIT ${MEMBERS_MAX + 1}`,
				groupId,
				tenantId,
				issuerId,
				await timeOf(tenantId),
			);
			return rows.map(({ userId }) => userId);
		},
		async addMembers(tenantId, groupId, userIds, nowMs) {
			// A membership that is over counts as absent.
			const over = await groupMembers.all(
				queries,
				"group_id = $1 AND tenant_id = $2 AND expires_at <= $3",
				groupId,
				tenantId,
				await timeOf(tenantId),
			);
			const wanted = new Set(userIds);
			const ended: EndedMember[] = [];
			for (const { userId, expiresAtMs } of over) {
				const key = { groupId, userId, tenantId };
				if (expiresAtMs === null || !wanted.has(userId)) continue;
				if ((await groupMembers.delete(queries, key)) === 1) ended.push({ ...key, expiresAtMs });
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
			return { added: [...(await groupMembers.insertAllUntaken(queries, rows, "user_id"))], ended };
		},
		async removeMembers(tenantId, groupId, userIds) {
			const removed: string[] = [];
			for (const chunk of chunksOf(userIds)) {
				const rows = await queries.all<{ user_id: string }>(
					statement(
						`DELETE FROM group_members WHERE group_id = $1 AND tenant_id = $2 AND user_id IN (${placeholders(3, chunk.length)})
						RETURNING user_id`,
						{ isWrite: true },
					),
					groupId,
					tenantId,
					...chunk,
				);
				removed.push(...rows.map(({ user_id }) => user_id));
			}
			return removed;
		},
	};
}

interface ResourceSelect<T> {
	readonly columns: string;
	readonly from: string;
	readonly id: string;
	readonly filter: Filter;
	readonly searchable: Searchable;
	read(row: object): T;
}

/** Runs separately: a directory may have many people, and a filter may have no index. */
async function list<T>(
	queries: Queries,
	{ filter: searched, offset, count }: ResourceQuery,
	{ columns, from, id, filter, searchable, read }: ResourceSelect<T>,
) {
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
	return { items: rows.map(read), total: total?.total ?? 0 };
}

/** Of one of these lengths, so that few statements are prepared: the first id fills a chunk up. */
function chunksOf(ids: readonly string[]): SqlValue[][] {
	const chunks: SqlValue[][] = [];
	for (let from = 0; from < ids.length; from += CHUNK) {
		const length = CHUNKS.find((size) => size >= ids.length - from) ?? CHUNK;
		chunks.push(Array.from({ length }, (_, index) => ids[from + index] ?? (ids[from] as string)));
	}
	return chunks;
}

function placeholders(first: number, length: number): string {
	return Array.from({ length }, (_, index) => `$${first + index}`).join(", ");
}
