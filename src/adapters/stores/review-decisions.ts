// Reviews as reviewers read them, and their decisions. Conditional UPDATEs decide races: with others, and with the end.

import type { NamedItem, ReviewItem, ReviewStore, StoredFlag } from "../../domain/review.ts";
import { type Filter, listPage } from "../sql/page.ts";
import { padded, places } from "../sql/parameter-lists.ts";
import { columnOf, type Queries, statement } from "../sql/queries.ts";
import { reviewItems, reviews } from "../sql/tables/access-tables.ts";
import type { TenantTime } from "./tenant-time.ts";

const ADMINS = `SELECT id FROM users WHERE tenant_id = $1 AND status = 'active' AND id IN (PLACES)
	AND ((',' || roles || ',') LIKE '%,admin,%' OR (',' || roles || ',') LIKE '%,platform_admin,%')`;
const ITEM = reviewItems.as("i");
const FLAGS: Readonly<Record<StoredFlag, string>> = {
	never_used: "i.never_used = 1",
	unused_90_days: "i.unused = 1",
	owner_left: "i.owner_left = 1",
};
const ITEMS = {
	columns: `${ITEM.columns}, o.username, o.display_name AS "displayName", d.username AS "decidedByName"`,
	from: "review_items i LEFT JOIN users o ON o.id = i.owner_id LEFT JOIN users d ON d.id = i.decided_by",
	order: "i.risk DESC, i.id ASC",
};
const READS = reviews.as("r");
const LISTED = "r.status <> 'preparing'";

export function createReviewDecisions(queries: Queries, timeOf: TenantTime) {
	/** The reviews that a user may see as a member of their reviewers. */
	const inScope = async (filter: Filter, tenantId: string, memberId: string | null) =>
		memberId === null
			? filter
			: filter.add(
					"r.reviewers IN (SELECT m.group_id FROM group_members m WHERE m.user_id = ? AND m.tenant_id = r.tenant_id AND (m.expires_at IS NULL OR m.expires_at > ?))",
					memberId,
					await timeOf(tenantId),
				);
	return {
		async find({ tenantId, memberId }, id) {
			const filter = await inScope(READS.matching({ id, tenantId }).add(LISTED), tenantId, memberId);
			return READS.find(queries, filter.condition, ...filter.parameters);
		},
		async list({ tenantId, memberId }, page) {
			const filter = await inScope(READS.matching({ tenantId }).add(LISTED), tenantId, memberId);
			return READS.list(queries, { filter }, page);
		},
		async isReviewer(tenantId, userId) {
			const now = await timeOf(tenantId);
			const sql = `SELECT 1 AS found FROM group_members m JOIN reviews r ON r.reviewers = m.group_id
				WHERE m.tenant_id = $1 AND m.user_id = $2 AND (m.expires_at IS NULL OR m.expires_at > $3) AND r.tenant_id = $1 LIMIT 1`;
			return (await queries.one(sql, tenantId, userId, now)) !== undefined;
		},
		async findReviewers({ tenantId, reviewers }, userIds) {
			if (userIds.length === 0) return new Set();
			const ids = padded(userIds);
			const found =
				reviewers === null
					? await columnOf(queries, ADMINS.replace("PLACES", places(ids, 2)), tenantId, ...ids)
					: await columnOf(
							queries,
							`SELECT m.user_id FROM group_members m WHERE m.group_id = $1 AND m.tenant_id = $2
							 AND (m.expires_at IS NULL OR m.expires_at > $3) AND m.user_id IN (${places(ids, 4)})`,
							reviewers,
							tenantId,
							await timeOf(tenantId),
							...ids,
						);
			return new Set(found);
		},
		async listItems(review, { state, flag, q }, page) {
			const filter = ITEM.matching({ reviewId: review.id, tenantId: review.tenantId })
				.maybe("i.state = ?", state)
				.contains(["i.subject_name_folded", "o.username_key", "o.display_name_folded"], q);
			if (flag !== undefined) filter.separately().add(FLAGS[flag]);
			const counted = state === undefined ? "total" : state === "open" ? "total - kept - ended" : state;
			const total =
				q || flag !== undefined
					? undefined
					: {
							sql: `SELECT ${counted} AS total FROM reviews WHERE id = $1 AND tenant_id = $2`,
							parameters: [review.id, review.tenantId],
						};
			return listPage<NamedRow, NamedItem>(queries, { ...ITEMS, filter, total }, page, toNamed);
		},
		async listItemsAfter(review, afterId, limit) {
			const sql = statement(
				`SELECT ${ITEMS.columns} FROM ${ITEMS.from} WHERE i.review_id = $1 AND i.tenant_id = $2 AND i.id > $3 ORDER BY i.id LIMIT $4`,
				{ reads: "separately" },
			);
			return (await queries.all<NamedRow>(sql, review.id, review.tenantId, afterId, limit)).map(toNamed);
		},
		async findItem(review, id) {
			const sql = `SELECT ${ITEMS.columns} FROM ${ITEMS.from} WHERE i.id = $1 AND i.review_id = $2 AND i.tenant_id = $3`;
			const row = await queries.one<NamedRow>(sql, id, review.id, review.tenantId);
			return row && toNamed(row);
		},
		decide: ({ id, tenantId }, decision) =>
			reviewItems.updateOne(queries, decision, { id, tenantId, state: "open" }),
		async count({ id, tenantId }, state, nowMs) {
			const sql = `UPDATE reviews SET ${state} = ${state} + 1 WHERE id = $1 AND tenant_id = $2 AND status = 'open' AND due_at > $3`;
			return (await queries.run(sql, id, tenantId, nowMs)) === 1;
		},
		async findAnswerable(answerDigest, nowMs) {
			const item = await reviewItems.find(queries, "answer_digest = $1", answerDigest);
			const review = item && (await reviews.find(queries, { id: item.reviewId, tenantId: item.tenantId }));
			const isOpen = review?.status === "open" && review.dueAtMs > nowMs;
			return item !== undefined && isOpen ? { item, review } : undefined;
		},
		noteAnswer: ({ id, tenantId }, partnerAnswer, partnerReason, nowMs) =>
			reviewItems.updateOne(
				queries,
				{ partnerAnswer, partnerReason, partnerAnsweredAtMs: nowMs },
				{ id, tenantId },
			),
	} satisfies Partial<ReviewStore>;
}

interface NamedRow {
	readonly username: string | null;
	readonly displayName: string | null;
	readonly decidedByName: string | null;
}

/** The names of users are those of now; `""` for one who was deleted. */
function toNamed(row: NamedRow): NamedItem {
	const item: ReviewItem = ITEM.read(row);
	const isUser = item.ownerId === item.subjectId;
	return {
		...item,
		subjectName: isUser ? (row.username ?? "") : item.subjectName,
		displayName: isUser ? (row.displayName ?? "") : "",
		decidedByName: row.decidedByName,
	};
}
