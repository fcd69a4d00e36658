// The snapshot of a review: what each subject may do, and the items that are made of it.

import { setImmediate as nextTurn } from "node:timers/promises";
import { LISTED_MAX } from "../../domain/access.ts";
import {
	type AccessSource,
	type FoundAccess,
	OPEN_REVIEWS_MAX,
	OTHER_APPS_MAX,
	PREPARED_WITHIN_MS,
	type ReviewedScope,
	type ReviewStore,
} from "../../domain/review.ts";
import { isText, listOf, parseJson } from "../../kernel/shape.ts";
import type { Queries } from "../sql/queries.ts";
import { reviews, storedReviewItems } from "../sql/tables/access-tables.ts";
import { tenants } from "../sql/tables/platform-tables.ts";
import { type AccessRow, readAccess } from "./review-access.ts";
import type { TenantTime } from "./tenant-time.ts";

const IN_PREPARATION = "id = $1 AND tenant_id = $2 AND status = 'preparing' AND updated_at > $3";
const UNOPENED = "status = 'preparing' AND updated_at <= $1";
const DELETE_UNOPENED_ITEMS = `DELETE FROM review_items WHERE id IN (
	SELECT id FROM review_items WHERE review_id IN (SELECT id FROM reviews WHERE ${UNOPENED}) LIMIT $2)`;

export function createReviewSnapshots(queries: Queries, timeOf: TenantTime) {
	return {
		async insert(review) {
			await tenants.lock(queries, { id: review.tenantId });
			const open = await reviews.count(queries, "tenant_id = $1 AND status <> 'closed'", review.tenantId);
			if (open >= OPEN_REVIEWS_MAX) return false;
			await reviews.insert(queries, review);
			return true;
		},
		async findAccess(scope, subjectIds) {
			const nowMs = await timeOf(scope.tenantId);
			return toAccess(await readAccess(queries, scope, nowMs, subjectIds), scope);
		},
		async insertItems({ id, tenantId }, items, nowMs) {
			// First: of this and the removal of an abandoned review, one waits for the other.
			const prepared = [id, tenantId, nowMs - PREPARED_WITHIN_MS] as const;
			if (!(await reviews.updateOne(queries, { updatedAtMs: nowMs }, IN_PREPARATION, ...prepared)))
				return false;
			const rows = items.map((item) => ({
				...item,
				noticeDue: item.sources.some(({ kind, requestId }) => kind === "api_client" && requestId !== null),
				answerDigest: null,
			}));
			const inserted = await storedReviewItems.insertAllUntaken(queries, rows);
			if (inserted.size !== items.length) throw new Error("an item of a review was inserted before");
			return true;
		},
		open: (tenantId, id, total, nowMs) =>
			reviews.updateReturning(
				queries,
				{ status: "open", total, updatedAtMs: nowMs },
				IN_PREPARATION,
				id,
				tenantId,
				nowMs - PREPARED_WITHIN_MS,
			),
		abandon: ({ id, tenantId }) =>
			reviews.updateOne(queries, { updatedAtMs: 0 }, { id, tenantId, status: "preparing" }),
		async removeUnopened(beforeMs, limit) {
			const removed = await queries.run(DELETE_UNOPENED_ITEMS, beforeMs, limit);
			if (removed === 0) await reviews.delete(queries, UNOPENED, beforeMs);
			return removed;
		},
	} satisfies Partial<ReviewStore>;
}

const isTexts = listOf(isText);
const ITEMS_A_TURN = 1_000;

interface FoundRole {
	readonly name: string;
	readonly permissions: readonly string[];
}

/** One for each subject and application; the memberships of one group are one for each user. Other requests run in between. */
async function toAccess(rows: readonly AccessRow[], { groupId }: ReviewedScope): Promise<FoundAccess[]> {
	const {
		role = [],
		group_app = [],
		other = [],
	} = Object.groupBy(rows, ({ kind }) => (kind === "role" || kind === "group_app" ? kind : "other"));
	group_app.sort((a, b) => ((a.appName ?? "") < (b.appName ?? "") ? -1 : 1));
	const appsOf = Map.groupBy(group_app, ({ id }) => id);
	const roles = new Map(
		role.map(({ id, name, scopes }): [string, FoundRole] => [
			id,
			{ name, permissions: parseJson(isTexts, scopes) },
		]),
	);
	const byItem = Map.groupBy(
		other,
		({ subjectId, appId }) => `${subjectId} ${groupId === null ? appId : ""}`,
	);
	const found: FoundAccess[] = [];
	for (const sources of byItem.values()) {
		found.push(toItem(sources, { roles, appsOf }, groupId !== null));
		if (found.length % ITEMS_A_TURN === 0) await nextTurn();
	}
	return found;
}

function toItem(
	rows: readonly AccessRow[],
	{
		roles,
		appsOf,
	}: {
		readonly roles: ReadonlyMap<string, FoundRole>;
		readonly appsOf: ReadonlyMap<string, readonly AccessRow[]>;
	},
	isOfGroup: boolean,
): FoundAccess {
	const [first] = rows as [AccessRow];
	const held = rows.map((row) => [row, heldBy(row, roles)] as const);
	const all = held.flatMap(([, ofRow]) => ofRow);
	const used = rows.map(({ lastUsedAtMs }) => lastUsedAtMs).filter((atMs) => atMs !== null);
	return {
		subjectId: first.subjectId,
		subjectName: first.subjectName,
		ownerId: first.ownerId,
		appId: isOfGroup ? null : first.appId,
		appName: isOfGroup ? "" : (first.appName ?? ""),
		roles: sorted(all.map(({ name }) => name)),
		permissions: sorted(all.flatMap(({ permissions }) => permissions)).slice(0, LISTED_MAX),
		scopes: sorted(rows.flatMap(({ scopes }) => parseJson(isTexts, scopes))),
		sources: held
			.map(([row, ofRow]) => ({
				...toSource(row, sorted(ofRow.map(({ name }) => name))),
				otherApps: row.kind === "group" ? otherAppsOf(row, appsOf.get(row.id) ?? []) : [],
			}))
			.sort((a, b) => (sourceKey(a) < sourceKey(b) ? -1 : 1)),
		lastUsedAtMs: used.length === 0 ? null : Math.max(...used),
		createdAtMs: Math.min(...rows.map(({ createdAtMs }) => createdAtMs)),
		ownerLeft: rows.some(({ ownerLeft }) => ownerLeft === 1),
	};
}

function heldBy({ kind, roles: ids }: AccessRow, roles: ReadonlyMap<string, FoundRole>): FoundRole[] {
	if (ids === null || ids === "") return [];
	const isSystem = kind === "system_roles" || kind === "admin_key";
	return ids.split(",").flatMap((id) => (isSystem ? { name: id, permissions: [] } : (roles.get(id) ?? [])));
}

/** @param apps of the group, by name */
function otherAppsOf({ appId }: AccessRow, apps: readonly AccessRow[]): string[] {
	const names: string[] = [];
	for (const { appId: id, appName } of apps) {
		if (names.length === OTHER_APPS_MAX) break;
		if (id !== appId && appName !== null && appName !== names.at(-1)) names.push(appName);
	}
	return names;
}

function toSource(row: AccessRow, roles: readonly string[]): Omit<AccessSource, "otherApps"> {
	const { kind, id, name, appName, requestId, grantedBy, expiresAtMs, createdAtMs } = row;
	if (kind === "role" || kind === "group_app") throw new Error("a role is no source of access");
	const common = { kind, id, name, appName: appName ?? "", roles, requestId, grantedBy };
	return { ...common, expiresAtMs, createdAtMs };
}

const sourceKey = ({ kind, id, appName }: AccessSource) => `${kind} ${id} ${appName}`;
const sorted = (names: readonly string[]) => [...new Set(names)].sort();
